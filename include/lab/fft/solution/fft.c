/* Discrete Fourier transforms of 16 signals, four signals at once in the four lanes of a register: radix 4, decimation in
 * frequency with each pass sorted (Stockham), five passes for 1024 = 4^5. */
#include <immintrin.h>
#include <math.h>
#include <unistd.h>

#define N 1024
#define SIGNALS 16
#define LANES 4

typedef __m256d vector;
struct complex {
    vector re, im;
};

static double in[LANES][N][2] __attribute__((aligned(64))), out[LANES][N][2] __attribute__((aligned(64)));
static struct complex one[N], other[N];
static double turns[N][2];

static inline struct complex plus(struct complex a, struct complex b) {
    return (struct complex){_mm256_add_pd(a.re, b.re), _mm256_add_pd(a.im, b.im)};
}

static inline struct complex minus(struct complex a, struct complex b) {
    return (struct complex){_mm256_sub_pd(a.re, b.re), _mm256_sub_pd(a.im, b.im)};
}

static inline struct complex turned(struct complex a, const double *by) {
    vector re = _mm256_broadcast_sd(by), im = _mm256_broadcast_sd(by + 1);
    return (struct complex){_mm256_fmsub_pd(a.re, re, _mm256_mul_pd(a.im, im)), _mm256_fmadd_pd(a.re, im, _mm256_mul_pd(a.im, re))};
}

static inline void butterfly(const struct complex *x, struct complex *y, int step, const double *w1, const double *w2, const double *w3) {
    struct complex a = x[0], b = x[N / 4], c = x[N / 2], d = x[3 * N / 4];
    struct complex ac = plus(a, c), a_c = minus(a, c), bd = plus(b, d), b_d = minus(b, d);
    struct complex down = {_mm256_add_pd(a_c.re, b_d.im), _mm256_sub_pd(a_c.im, b_d.re)};
    struct complex up = {_mm256_sub_pd(a_c.re, b_d.im), _mm256_add_pd(a_c.im, b_d.re)};
    y[0] = plus(ac, bd);
    if (w1) {
        y[step] = turned(down, w1);
        y[2 * step] = turned(minus(ac, bd), w2);
        y[3 * step] = turned(up, w3);
    } else {
        y[step] = down;
        y[2 * step] = minus(ac, bd);
        y[3 * step] = up;
    }
}

/* One pass: transforms of length `size` that lie `step` apart become four of a quarter of the length. */
static void pass(const struct complex *x, struct complex *y, int size, int step) {
    for (int s = 0; s < step; s++)
        butterfly(x + s, y + s, step, NULL, NULL, NULL);
    for (int p = 1; p < size / 4; p++) {
        const double *w1 = turns[p * step], *w2 = turns[2 * p * step], *w3 = turns[3 * p * step];
        for (int s = 0; s < step; s++)
            butterfly(x + p * step + s, y + 4 * p * step + s, step, w1, w2, w3);
    }
}

static inline void transpose(vector *a, vector *b, vector *c, vector *d) {
    vector ab = _mm256_unpacklo_pd(*a, *b), ab2 = _mm256_unpackhi_pd(*a, *b);
    vector cd = _mm256_unpacklo_pd(*c, *d), cd2 = _mm256_unpackhi_pd(*c, *d);
    *a = _mm256_permute2f128_pd(ab, cd, 0x20);
    *b = _mm256_permute2f128_pd(ab2, cd2, 0x20);
    *c = _mm256_permute2f128_pd(ab, cd, 0x31);
    *d = _mm256_permute2f128_pd(ab2, cd2, 0x31);
}

static void gather(void) {
    for (int i = 0; i < N; i += 2) {
        vector a = _mm256_load_pd(in[0][i]), b = _mm256_load_pd(in[1][i]), c = _mm256_load_pd(in[2][i]), d = _mm256_load_pd(in[3][i]);
        transpose(&a, &b, &c, &d);
        one[i] = (struct complex){a, b};
        one[i + 1] = (struct complex){c, d};
    }
}

static void scatter(const struct complex *from) {
    for (int i = 0; i < N; i += 2) {
        vector a = from[i].re, b = from[i].im, c = from[i + 1].re, d = from[i + 1].im;
        transpose(&a, &b, &c, &d);
        _mm256_store_pd(out[0][i], a);
        _mm256_store_pd(out[1][i], b);
        _mm256_store_pd(out[2][i], c);
        _mm256_store_pd(out[3][i], d);
    }
}

static int fetch(void) {
    char *at = (char *)in, *end = at + sizeof in;
    for (ssize_t got; at < end; at += got)
        if ((got = read(0, at, end - at)) <= 0)
            return 0;
    return 1;
}

/* Half of a quadrant by the library, the rest by symmetry. */
static void prepare_turns(void) {
    for (int i = 0; i <= N / 4; i++) {
        turns[i][0] = cos(2 * M_PI * i / N);
        turns[N / 4 - i][1] = -turns[i][0];
    }
    for (int i = N / 4; i < N; i++) {
        turns[i][0] = turns[i - N / 4][1];
        turns[i][1] = -turns[i - N / 4][0];
    }
}

int main(void) {
    prepare_turns();
    for (int signal = 0; signal < SIGNALS && fetch(); signal += LANES) {
        gather();
        struct complex *x = one, *y = other;
        for (int size = N, step = 1; size > 1; size /= 4, step *= 4) {
            pass(x, y, size, step);
            struct complex *done = x;
            x = y;
            y = done;
        }
        scatter(x);
        if (write(1, out, sizeof out) != sizeof out)
            return 1;
    }
    return 0;
}
