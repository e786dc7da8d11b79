// A picture of 512 x 512 numbers blurred along rows, then along columns: a block keeps 32 x 32 points and their surroundings.
#define N 512
#define REACH 5
#define TILE 32
#define WIDE (TILE + 2 * REACH)

extern "C" __device__ unsigned launch[3] = {256, 256, 0};

extern "C" __global__ void solve(const float *input, float *output)
{
    __shared__ float points[WIDE][WIDE];
    __shared__ float rows[WIDE][TILE];
    const float *picture = input + 2 * REACH + 1;
    int t = threadIdx.x, top = blockIdx.x / (N / TILE) * TILE, left = blockIdx.x % (N / TILE) * TILE;
    float weights[2 * REACH + 1];
#pragma unroll
    for (int d = 0; d <= 2 * REACH; d++)
        weights[d] = input[d];
    for (int at = t; at < WIDE * WIDE; at += 256) {
        int y = at / WIDE, x = at % WIDE;
        int from_y = min(max(top + y - REACH, 0), N - 1), from_x = min(max(left + x - REACH, 0), N - 1);
        points[y][x] = picture[from_y * N + from_x];
    }
    __syncthreads();
    for (int at = t; at < WIDE * TILE; at += 256) {
        int y = at / TILE, x = at % TILE;
        float sum = 0;
#pragma unroll
        for (int d = 0; d <= 2 * REACH; d++)
            sum += weights[d] * points[y][x + d];
        rows[y][x] = sum;
    }
    __syncthreads();
    int x = t % TILE, y = t / TILE * 4;
    float column[4 + 2 * REACH];
#pragma unroll
    for (int d = 0; d < 4 + 2 * REACH; d++)
        column[d] = rows[y + d][x];
#pragma unroll
    for (int i = 0; i < 4; i++) {
        float sum = 0;
#pragma unroll
        for (int d = 0; d <= 2 * REACH; d++)
            sum += weights[d] * column[i + d];
        output[(top + y + i) * N + left + x] = sum;
    }
}
