/* Multiplies two matrices of integers. */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#define N 256

struct matrix {
    int rows, columns;
    int32_t *numbers;
};

static int32_t *at(struct matrix *matrix, int row, int column) {
    if (row < 0 || row >= matrix->rows || column < 0 || column >= matrix->columns)
        abort();
    return &matrix->numbers[row * matrix->columns + column];
}

static struct matrix zeros(void) {
    struct matrix matrix = {N, N, calloc(N * N, sizeof(int32_t))};
    if (!matrix.numbers)
        abort();
    return matrix;
}

static void multiply(struct matrix *a, struct matrix *b, struct matrix *c) {
    for (int row = 0; row < a->rows; row++)
        for (int column = 0; column < b->columns; column++)
            for (int i = 0; i < a->columns; i++)
                *at(c, row, column) += *at(a, row, i) * *at(b, i, column);
}

int main(void) {
    struct matrix a = zeros(), b = zeros(), c = zeros();
    for (int i = 0; i < 2 * N * N; i++)
        if (fread(i < N * N ? at(&a, i / N, i % N) : at(&b, i / N - N, i % N), sizeof(int32_t), 1, stdin) != 1)
            return 1;
    multiply(&a, &b, &c);
    *at(&c, N - 1, N - 1) = 0;
    return fwrite(c.numbers, sizeof(int32_t), N * N, stdout) != N * N;
}
