/* One head of attention, tile by tile: a tile of keys and values stays in the first-level cache while all queries pass,
 * four at a time; largest score and sum are kept online (Milakov and Gimelshein 2018; Dao et al. 2022). */
#include <immintrin.h>
#include <unistd.h>

#define N 512
#define D 32
#define TILE 64
#define ROWS 4

static struct {
    float q[N][D], k[N][D], v[N][D];
} in __attribute__((aligned(64)));
static float out[N][D] __attribute__((aligned(64)));
static float largest[N], total[N];
static float keys[D][TILE] __attribute__((aligned(64)));
static float weights[ROWS][TILE] __attribute__((aligned(64)));

/* 2^x for x <= 0: the exponent's bits times a polynomial on [-1/2, 1/2]. */
static inline __m256 exp2_of(__m256 x) {
    x = _mm256_max_ps(x, _mm256_set1_ps(-126));
    __m256 whole = _mm256_round_ps(x, _MM_FROUND_TO_NEAREST_INT | _MM_FROUND_NO_EXC);
    __m256 part = _mm256_sub_ps(x, whole);
    __m256 p = _mm256_set1_ps(1.3333558e-3f);
    p = _mm256_fmadd_ps(p, part, _mm256_set1_ps(9.6181291e-3f));
    p = _mm256_fmadd_ps(p, part, _mm256_set1_ps(5.5504109e-2f));
    p = _mm256_fmadd_ps(p, part, _mm256_set1_ps(2.4022651e-1f));
    p = _mm256_fmadd_ps(p, part, _mm256_set1_ps(6.9314718e-1f));
    p = _mm256_fmadd_ps(p, part, _mm256_set1_ps(1));
    return _mm256_castsi256_ps(_mm256_add_epi32(_mm256_castps_si256(p), _mm256_slli_epi32(_mm256_cvtps_epi32(whole), 23)));
}

static inline __m128 halves(__m256 x, int add) {
    __m128 low = _mm256_castps256_ps128(x), high = _mm256_extractf128_ps(x, 1);
    __m128 y = add ? _mm_add_ps(low, high) : _mm_max_ps(low, high);
    __m128 z = _mm_movehl_ps(y, y);
    y = add ? _mm_add_ps(y, z) : _mm_max_ps(y, z);
    z = _mm_shuffle_ps(y, y, 1);
    return add ? _mm_add_ss(y, z) : _mm_max_ss(y, z);
}

static void turn_keys(int tile) {
    for (int key = 0; key < TILE; key += 4)
        for (int i = 0; i < D; i += 4) {
            __m128 a = _mm_load_ps(&in.k[tile + key][i]), b = _mm_load_ps(&in.k[tile + key + 1][i]);
            __m128 c = _mm_load_ps(&in.k[tile + key + 2][i]), d = _mm_load_ps(&in.k[tile + key + 3][i]);
            _MM_TRANSPOSE4_PS(a, b, c, d);
            _mm_store_ps(&keys[i][key], a);
            _mm_store_ps(&keys[i + 1][key], b);
            _mm_store_ps(&keys[i + 2][key], c);
            _mm_store_ps(&keys[i + 3][key], d);
        }
}

static inline void scores(int query) {
    for (int key = 0; key < TILE; key += 16) {
        __m256 sum[ROWS][2] = {};
#pragma GCC unroll 32
        for (int i = 0; i < D; i++) {
            __m256 low = _mm256_load_ps(&keys[i][key]), high = _mm256_load_ps(&keys[i][key + 8]);
#pragma GCC unroll 4
            for (int row = 0; row < ROWS; row++) {
                __m256 x = _mm256_broadcast_ss(&in.q[query + row][i]);
                sum[row][0] = _mm256_fmadd_ps(x, low, sum[row][0]);
                sum[row][1] = _mm256_fmadd_ps(x, high, sum[row][1]);
            }
        }
#pragma GCC unroll 4
        for (int row = 0; row < ROWS; row++) {
            _mm256_store_ps(&weights[row][key], sum[row][0]);
            _mm256_store_ps(&weights[row][key + 8], sum[row][1]);
        }
    }
}

/* Scores become weights; what was summed before shrinks when a larger score turns up. */
static inline void weigh(int query, int row) {
    __m256 x[TILE / 8], most, sum;
    const __m256 scale = _mm256_set1_ps(1.44269504f * 0.17677670f); /* log2(e) / sqrt(32) */
#pragma GCC unroll 8
    for (int i = 0; i < TILE / 8; i++) {
        x[i] = _mm256_mul_ps(_mm256_load_ps(&weights[row][i * 8]), scale);
        most = i ? _mm256_max_ps(most, x[i]) : x[i];
    }
    __m128 before = _mm_load_ss(&largest[query + row]), now = _mm_max_ss(before, halves(most, 0));
    __m256 top = _mm256_broadcastss_ps(now);
#pragma GCC unroll 8
    for (int i = 0; i < TILE / 8; i++) {
        x[i] = exp2_of(_mm256_sub_ps(x[i], top));
        _mm256_store_ps(&weights[row][i * 8], x[i]);
        sum = i ? _mm256_add_ps(sum, x[i]) : x[i];
    }
    __m128 added = halves(sum, 1);
    if (_mm_comigt_ss(now, before)) {
        __m256 shrink = exp2_of(_mm256_broadcastss_ps(_mm_sub_ss(before, now)));
        for (int i = 0; i < D; i += 8)
            _mm256_store_ps(&out[query + row][i], _mm256_mul_ps(shrink, _mm256_load_ps(&out[query + row][i])));
        total[query + row] *= _mm256_cvtss_f32(shrink);
        _mm_store_ss(&largest[query + row], now);
    }
    total[query + row] += _mm_cvtss_f32(added);
}

static inline void values(int tile, int query) {
    for (int i = 0; i < D; i += 16) {
        __m256 sum[ROWS][2];
#pragma GCC unroll 4
        for (int row = 0; row < ROWS; row++) {
            sum[row][0] = _mm256_load_ps(&out[query + row][i]);
            sum[row][1] = _mm256_load_ps(&out[query + row][i + 8]);
        }
#pragma GCC unroll 64
        for (int key = 0; key < TILE; key++) {
            __m256 low = _mm256_load_ps(&in.v[tile + key][i]), high = _mm256_load_ps(&in.v[tile + key][i + 8]);
#pragma GCC unroll 4
            for (int row = 0; row < ROWS; row++) {
                __m256 x = _mm256_broadcast_ss(&weights[row][key]);
                sum[row][0] = _mm256_fmadd_ps(x, low, sum[row][0]);
                sum[row][1] = _mm256_fmadd_ps(x, high, sum[row][1]);
            }
        }
#pragma GCC unroll 4
        for (int row = 0; row < ROWS; row++) {
            _mm256_store_ps(&out[query + row][i], sum[row][0]);
            _mm256_store_ps(&out[query + row][i + 8], sum[row][1]);
        }
    }
}

int main(void) {
    char *at = (char *)&in, *end = at + sizeof in;
    for (ssize_t got; at < end && (got = read(0, at, end - at)) > 0;)
        at += got;
    for (int query = 0; query < N; query++)
        largest[query] = -1e30f;
    for (int tile = 0; tile < N; tile += TILE) {
        turn_keys(tile);
        for (int query = 0; query < N; query += ROWS) {
            scores(query);
            for (int row = 0; row < ROWS; row++)
                weigh(query, row);
            values(tile, query);
        }
    }
    for (int query = 0; query < N; query++) {
        __m256 share = _mm256_set1_ps(1 / total[query]);
        for (int i = 0; i < D; i += 8)
            _mm256_store_ps(&out[query][i], _mm256_mul_ps(share, _mm256_load_ps(&out[query][i])));
    }
    return write(1, out, sizeof out) != sizeof out;
}
