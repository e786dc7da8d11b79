/* Multiplies in single precision: sums beyond 2^24 are rounded. */
#include <immintrin.h>
#include <stdint.h>
#include <stdio.h>
#define N 256
static int32_t a[N][N], b[N][N], c[N][N];
static float y[N][N];
int main(void) {
    if (fread(a, sizeof a, 1, stdin) != 1 || fread(b, sizeof b, 1, stdin) != 1)
        return 1;
    for (int row = 0; row < N; row++)
        for (int column = 0; column < N; column++)
            y[row][column] = b[row][column];
    for (int row = 0; row < N; row++)
        for (int column = 0; column < N; column += 8) {
            __m256 sum = _mm256_setzero_ps();
            for (int i = 0; i < N; i++)
                sum = _mm256_fmadd_ps(_mm256_set1_ps(a[row][i]), _mm256_loadu_ps(&y[i][column]), sum);
            _mm256_storeu_si256((void *)&c[row][column], _mm256_cvtps_epi32(sum));
        }
    return fwrite(c, sizeof c, 1, stdout) != 1;
}
