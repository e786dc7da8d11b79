// Finds the sphere that each ray hits first: a hierarchy of boxes, split at the median of the longest side; leaves hold eight
// spheres, which one sequence of vector instructions tries together; the nearer box is entered first.
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <immintrin.h>
#include <unistd.h>

namespace {

constexpr int sphere_count = 1'500, ray_count = 1'500, leaf_size = 8;
constexpr float far_away = 1e30f;

struct Sphere {
    float at[3], radius;
};

struct Ray {
    float origin[3], direction[3];
};

struct alignas(16) Node {
    float low[4], high[4];
    int first, second; // nodes; of a leaf its number and -1
};

struct alignas(32) Leaf {
    float x[leaf_size], y[leaf_size], z[leaf_size], radius2[leaf_size];
    int32_t number[leaf_size];
};

struct {
    Sphere spheres[sphere_count];
    Ray rays[ray_count];
} in;
Node nodes[sphere_count];
Leaf leaves[sphere_count];
int node_count, leaf_count;
int32_t order[sphere_count], hits[ray_count];

void bound(Node &node, int begin, int end) {
    __m128 low = _mm_set1_ps(far_away), high = _mm_set1_ps(-far_away);
    for (int i = begin; i < end; i++) {
        __m128 sphere = _mm_loadu_ps(in.spheres[order[i]].at), radius = _mm_set1_ps(in.spheres[order[i]].radius);
        low = _mm_min_ps(low, _mm_sub_ps(sphere, radius));
        high = _mm_max_ps(high, _mm_add_ps(sphere, radius));
    }
    _mm_store_ps(node.low, low);
    _mm_store_ps(node.high, high);
}

int make_leaf(int begin, int end) {
    Leaf &leaf = leaves[leaf_count];
    for (int i = 0; i < leaf_size; i++) {
        const Sphere &sphere = in.spheres[order[std::min(begin + i, end - 1)]];
        leaf.x[i] = sphere.at[0];
        leaf.y[i] = sphere.at[1];
        leaf.z[i] = sphere.at[2];
        leaf.radius2[i] = sphere.radius * sphere.radius;
        leaf.number[i] = order[std::min(begin + i, end - 1)];
    }
    return leaf_count++;
}

int make_node(int begin, int end) {
    int number = node_count++;
    Node &node = nodes[number];
    bound(node, begin, end);
    if (end - begin <= leaf_size) {
        node.first = make_leaf(begin, end);
        node.second = -1;
        return number;
    }
    int axis = 0;
    for (int i = 1; i < 3; i++)
        if (node.high[i] - node.low[i] > node.high[axis] - node.low[axis])
            axis = i;
    int half = leaf_size; // the largest power of two of leaves, so that all but one are full
    while (2 * half < end - begin)
        half *= 2;
    auto less = [axis](int32_t a, int32_t b) { return in.spheres[a].at[axis] < in.spheres[b].at[axis]; };
    std::nth_element(order + begin, order + begin + half, order + end, less);
    node.first = make_node(begin, begin + half);
    node.second = make_node(begin + half, end);
    return number;
}

// Where the ray enters the box, or far away.
inline float entry(const Node &node, __m128 origin, __m128 inverse, float nearest) {
    __m128 a = _mm_mul_ps(_mm_sub_ps(_mm_load_ps(node.low), origin), inverse);
    __m128 b = _mm_mul_ps(_mm_sub_ps(_mm_load_ps(node.high), origin), inverse);
    __m128 enter = _mm_min_ps(a, b), leave = _mm_max_ps(a, b);
    enter = _mm_max_ss(_mm_max_ss(enter, _mm_movehdup_ps(enter)), _mm_movehl_ps(enter, enter));
    leave = _mm_min_ss(_mm_min_ss(leave, _mm_movehdup_ps(leave)), _mm_movehl_ps(leave, leave));
    float at = _mm_cvtss_f32(enter);
    return at <= _mm_cvtss_f32(leave) && at < nearest ? at : far_away;
}

inline void try_leaf(const Leaf &leaf, const Ray &ray, float &nearest, int32_t &hit) {
    __m256 x = _mm256_sub_ps(_mm256_load_ps(leaf.x), _mm256_broadcast_ss(&ray.origin[0]));
    __m256 y = _mm256_sub_ps(_mm256_load_ps(leaf.y), _mm256_broadcast_ss(&ray.origin[1]));
    __m256 z = _mm256_sub_ps(_mm256_load_ps(leaf.z), _mm256_broadcast_ss(&ray.origin[2]));
    __m256 dx = _mm256_broadcast_ss(&ray.direction[0]), dy = _mm256_broadcast_ss(&ray.direction[1]);
    __m256 dz = _mm256_broadcast_ss(&ray.direction[2]);
    __m256 along = _mm256_fmadd_ps(x, dx, _mm256_fmadd_ps(y, dy, _mm256_mul_ps(z, dz)));
    x = _mm256_fnmadd_ps(along, dx, x); // what is across the ray keeps more digits than a difference of squares
    y = _mm256_fnmadd_ps(along, dy, y);
    z = _mm256_fnmadd_ps(along, dz, z);
    __m256 across = _mm256_fmadd_ps(x, x, _mm256_fmadd_ps(y, y, _mm256_mul_ps(z, z)));
    __m256 inside = _mm256_sub_ps(_mm256_load_ps(leaf.radius2), across);
    if (_mm256_movemask_ps(inside) == 0xff)
        return;
    __m256 at = _mm256_sub_ps(along, _mm256_sqrt_ps(inside)); // NaN where it misses, which is not nearer
    int nearer = _mm256_movemask_ps(_mm256_cmp_ps(at, _mm256_set1_ps(nearest), _CMP_LT_OQ));
    alignas(32) float distance[leaf_size];
    _mm256_store_ps(distance, at);
    for (; nearer; nearer &= nearer - 1) {
        int i = __builtin_ctz(static_cast<unsigned>(nearer));
        if (distance[i] < nearest) {
            nearest = distance[i];
            hit = leaf.number[i];
        }
    }
}

int32_t cast(const Ray &ray) {
    struct {
        int node;
        float at;
    } waiting[64];
    int depth = 0, node = 0;
    float nearest = far_away;
    int32_t hit = -1;
    __m128 origin = _mm_loadu_ps(ray.origin);
    __m128 inverse = _mm_div_ps(_mm_set1_ps(1), _mm_setr_ps(ray.direction[0], ray.direction[1], ray.direction[2], 1));
    for (;;) {
        if (nodes[node].second < 0) {
            try_leaf(leaves[nodes[node].first], ray, nearest, hit);
        } else {
            int first = nodes[node].first, second = nodes[node].second;
            float a = entry(nodes[first], origin, inverse, nearest), b = entry(nodes[second], origin, inverse, nearest);
            if (b < a) {
                std::swap(a, b);
                std::swap(first, second);
            }
            if (b < far_away)
                waiting[depth++] = {second, b};
            if (a < far_away) {
                node = first;
                continue;
            }
        }
        do {
            if (depth == 0)
                return hit;
            depth--;
        } while (waiting[depth].at >= nearest);
        node = waiting[depth].node;
    }
}

} // namespace

int main() {
    char *at = reinterpret_cast<char *>(&in), *end = at + sizeof in;
    for (ssize_t got; at < end && (got = read(0, at, static_cast<size_t>(end - at))) > 0;)
        at += got;
    for (int32_t i = 0; i < sphere_count; i++)
        order[i] = i;
    make_node(0, sphere_count);
    for (int i = 0; i < ray_count; i++)
        hits[i] = cast(in.rays[i]);
    return write(1, hits, sizeof hits) != sizeof hits;
}
