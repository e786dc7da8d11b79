// C = A * B of 512 x 512 numbers; one thread computes one number.
#define N 512

extern "C" __device__ unsigned launch[3] = {1024, 256, 0};

extern "C" __global__ void solve(const float *input, float *output)
{
    int at = blockIdx.x * blockDim.x + threadIdx.x;
    int row = at % N, column = at / N;
    const float *a = input, *b = input + N * N;
    float sum = 0;
    for (int k = 0; k < N; k++)
        sum += a[row * N + k] * b[k * N + column];
    output[row * N + column] = sum;
}
