// A picture of 512 x 512 numbers blurred by weights[dy] * weights[dx]; one thread computes one point.
#define N 512
#define REACH 5

extern "C" __device__ unsigned launch[3] = {1, 262144, 0};

extern "C" __global__ void solve(const float *input, float *output)
{
    int at = blockIdx.x * blockDim.x + threadIdx.x;
    int y = at % N, x = at / N;
    const float *weights = input, *picture = input + 2 * REACH + 1;
    float sum = 0;
    for (int dy = -REACH; dy <= REACH; dy++)
        for (int dx = -REACH; dx <= REACH; dx++) {
            int from_y = min(max(y + dy, 0), N - 1), from_x = min(max(x + dx, 0), N - 1);
            sum += weights[dy + REACH] * weights[dx + REACH] * picture[from_y * N + from_x];
        }
    output[y * N + x] = sum;
}
