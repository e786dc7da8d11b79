/* Multiplies two matrices of integers: numbers of 16 bits, whose products are added in pairs by one instruction; panels of B
 * that stay in the first-level cache; 6 rows x 16 columns of the result in registers (Goto and van de Geijn 2008). */
#include <immintrin.h>
#include <stdint.h>
#include <string.h>
#include <unistd.h>

#define N 256
#define WIDE 16
#define CHUNK 16

static int16_t a[N][N] __attribute__((aligned(64)));
static int16_t panels[N / WIDE][N / 2][WIDE][2] __attribute__((aligned(64))); /* rows of B in pairs */
static int32_t c[N][N] __attribute__((aligned(64)));
static int32_t chunk[CHUNK][N] __attribute__((aligned(64)));

static int fetch(void) {
    char *at = (char *)chunk, *end = at + sizeof chunk;
    for (ssize_t got; at < end; at += got)
        if ((got = read(0, at, end - at)) <= 0)
            return 0;
    return 1;
}

static void keep_a(int first) {
    for (int row = 0; row < CHUNK; row++)
        for (int i = 0; i < N; i += 16) {
            __m256i low = _mm256_load_si256((void *)&chunk[row][i]), high = _mm256_load_si256((void *)&chunk[row][i + 8]);
            __m256i both = _mm256_permute4x64_epi64(_mm256_packs_epi32(low, high), 0xd8);
            _mm256_store_si256((void *)&a[first + row][i], both);
        }
}

static void keep_b(int first) {
    for (int row = 0; row < CHUNK; row += 2)
        for (int i = 0; i < N; i += 8) {
            __m256i even = _mm256_load_si256((void *)&chunk[row][i]), odd = _mm256_load_si256((void *)&chunk[row + 1][i]);
            __m256i both = _mm256_blend_epi16(even, _mm256_slli_epi32(odd, 16), 0xaa);
            _mm256_store_si256((void *)panels[i / WIDE][(first + row) / 2][i % WIDE], both);
        }
}

static inline __attribute__((always_inline)) void block(int row, int panel, const int rows) {
    __m256i sum[6][2] = {};
#pragma GCC unroll 32
    for (int pair = 0; pair < N / 2; pair++) {
        const __m256i *b = (const void *)panels[panel][pair];
        __m256i low = b[0], high = b[1];
#pragma GCC unroll 6
        for (int i = 0; i < rows; i++) {
            int32_t two;
            memcpy(&two, &a[row + i][2 * pair], sizeof two);
            __m256i x = _mm256_set1_epi32(two);
            sum[i][0] = _mm256_add_epi32(sum[i][0], _mm256_madd_epi16(x, low));
            sum[i][1] = _mm256_add_epi32(sum[i][1], _mm256_madd_epi16(x, high));
        }
    }
#pragma GCC unroll 6
    for (int i = 0; i < rows; i++) {
        _mm256_store_si256((void *)&c[row + i][panel * WIDE], sum[i][0]);
        _mm256_store_si256((void *)&c[row + i][panel * WIDE + 8], sum[i][1]);
    }
}

int main(void) {
    for (int row = 0; row < N && fetch(); row += CHUNK)
        keep_a(row);
    for (int row = 0; row < N && fetch(); row += CHUNK)
        keep_b(row);
    for (int panel = 0; panel < N / WIDE; panel++) {
        int row = 0;
        for (; row + 6 <= N; row += 6)
            block(row, panel, 6);
        block(row, panel, N % 6);
    }
    return write(1, c, sizeof c) != sizeof c;
}
