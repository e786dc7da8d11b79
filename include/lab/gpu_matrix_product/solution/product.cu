// C = A * B of 512 x 512 numbers: a block computes 64 x 64 of them from tiles in shared memory, a thread 4 x 4.
#define N 512
#define TILE 64
#define DEPTH 16
#define EACH 4

extern "C" __device__ unsigned launch[3] = {64, 256, 0};

extern "C" __global__ void solve(const float *input, float *output)
{
    __shared__ float as[DEPTH][TILE + 4];
    __shared__ float bs[DEPTH][TILE];
    const float *a = input, *b = input + N * N;
    int t = threadIdx.x, top = blockIdx.x / (N / TILE) * TILE, left = blockIdx.x % (N / TILE) * TILE;
    int y = t / 16 * EACH, x = t % 16 * EACH;
    int a_row = t / 4, a_part = t % 4 * 4, b_row = t / 16, b_part = t % 16 * 4;
    float sum[EACH][EACH] = {};
    for (int k = 0; k < N; k += DEPTH) {
        float4 from_a = *(const float4 *)&a[(top + a_row) * N + k + a_part];
        float4 from_b = *(const float4 *)&b[(k + b_row) * N + left + b_part];
        as[a_part + 0][a_row] = from_a.x;
        as[a_part + 1][a_row] = from_a.y;
        as[a_part + 2][a_row] = from_a.z;
        as[a_part + 3][a_row] = from_a.w;
        *(float4 *)&bs[b_row][b_part] = from_b;
        __syncthreads();
#pragma unroll
        for (int d = 0; d < DEPTH; d++) {
            float4 ys = *(const float4 *)&as[d][y], xs = *(const float4 *)&bs[d][x];
            float u[EACH] = {ys.x, ys.y, ys.z, ys.w}, v[EACH] = {xs.x, xs.y, xs.z, xs.w};
#pragma unroll
            for (int i = 0; i < EACH; i++)
#pragma unroll
                for (int j = 0; j < EACH; j++)
                    sum[i][j] += u[i] * v[j];
        }
        __syncthreads();
    }
#pragma unroll
    for (int i = 0; i < EACH; i++)
        *(float4 *)&output[(top + y + i) * N + left + x] = make_float4(sum[i][0], sum[i][1], sum[i][2], sum[i][3]);
}
