/* Steady temperatures of a plate: over-relaxation in place, from the average of the edges. */
#define _GNU_SOURCE
#include <math.h>
#include <stdio.h>

#define MAX_SIZE 128

static double plate[MAX_SIZE][MAX_SIZE];
static char fixed[MAX_SIZE][MAX_SIZE];

static double number(void)
{
    int c = getchar_unlocked();
    while (c != EOF && c != '.' && (c < '0' || c > '9'))
        c = getchar_unlocked();
    double value = 0, scale = 1;
    for (; c >= '0' && c <= '9'; c = getchar_unlocked())
        value = value * 10 + (c - '0');
    if (c == '.')
        for (c = getchar_unlocked(); c >= '0' && c <= '9'; c = getchar_unlocked())
            value += (c - '0') * (scale /= 10);
    return value;
}

static void set(int row, int column, double value)
{
    plate[row][column] = value;
    fixed[row][column] = 1;
}

int main(void)
{
    int size = (int)number();
    double sum = 0;
    for (int i = 0; i < size; i++)
        set(0, i, number());
    for (int i = 0; i < size; i++)
        set(size - 1, i, number());
    for (int side = 0; side < 2; side++)
        for (int i = 0; i < size; i++) {
            double value = number();
            sum += value;
            if (i > 0 && i < size - 1)
                set(i, side * (size - 1), value);
        }
    for (int i = 0; i < 5; i++) {
        int row = (int)number(), column = (int)number();
        set(row, column, number());
    }
    for (int row = 1; row < size - 1; row++)
        for (int column = 1; column < size - 1; column++)
            if (!fixed[row][column])
                plate[row][column] = sum / (2 * size);
    double factor = 2 / (1 + sin(M_PI / (size - 1))), largest;
    do {
        largest = 0;
        for (int row = 1; row < size - 1; row++)
            for (int column = 1; column < size - 1; column++)
                if (!fixed[row][column]) {
                    double change = factor * ((plate[row - 1][column] + plate[row + 1][column] + plate[row][column - 1]
                                               + plate[row][column + 1]) / 4 - plate[row][column]);
                    plate[row][column] += change;
                    largest = fmax(largest, fabs(change));
                }
    } while (largest > 1e-3);
    for (int row = 0; row < size; row++) {
        for (int column = 0; column < size; column++) {
            int value = (int)(plate[row][column] * 1000 + 0.5);
            char text[12], *at = text + sizeof text;
            *--at = column == size - 1 ? '\n' : ' ';
            for (int digit = 0; digit < 4 || value; digit++, value /= 10) {
                if (digit == 3)
                    *--at = '.';
                *--at = (char)('0' + value % 10);
            }
            fwrite_unlocked(at, 1, (size_t)(text + sizeof text - at), stdout);
        }
    }
    return 0;
}
