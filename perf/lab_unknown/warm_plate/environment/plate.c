/* Steady temperatures of a plate: every cell becomes the average of its neighbours until nothing changes any more. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define MAX_SIZE 128
#define TOLERANCE 1e-6

static double plate[MAX_SIZE][MAX_SIZE];
static double next[MAX_SIZE][MAX_SIZE];
static int fixed[MAX_SIZE][MAX_SIZE];

static double read_number(void)
{
    double value;
    if (scanf("%lf", &value) != 1) {
        fprintf(stderr, "unexpected end of input\n");
        exit(1);
    }
    return value;
}

static void set_fixed(int row, int column, double temperature)
{
    plate[row][column] = temperature;
    fixed[row][column] = 1;
}

static double average_of_neighbours(int row, int column)
{
    double sum = 0.0;
    for (int i = -1; i <= 1; i++)
        for (int j = -1; j <= 1; j++)
            if (abs(i) + abs(j) == 1)
                sum += plate[row + i][column + j];
    return sum / 4.0;
}

static double step(int size)
{
    double largest = 0.0;
    memcpy(next, plate, sizeof plate);
    for (int row = 0; row < size; row++) {
        for (int column = 0; column < size; column++) {
            if (fixed[row][column])
                continue;
            next[row][column] = average_of_neighbours(row, column);
            double change = fabs(next[row][column] - plate[row][column]);
            if (change > largest)
                largest = change;
        }
    }
    memcpy(plate, next, sizeof plate);
    return largest;
}

int main(void)
{
    int size = (int)read_number();
    if (size < 3 || size > MAX_SIZE) {
        fprintf(stderr, "size must be between 3 and %d\n", MAX_SIZE);
        return 1;
    }
    for (int i = 0; i < size; i++)
        set_fixed(0, i, read_number());
    for (int i = 0; i < size; i++)
        set_fixed(size - 1, i, read_number());
    for (int i = 0; i < size; i++) {
        double value = read_number();
        if (i > 0 && i < size - 1)
            set_fixed(i, 0, value);
    }
    for (int i = 0; i < size; i++) {
        double value = read_number();
        if (i > 0 && i < size - 1)
            set_fixed(i, size - 1, value);
    }
    for (int i = 0; i < 5; i++) {
        int row = (int)read_number();
        int column = (int)read_number();
        set_fixed(row, column, read_number());
    }

    while (step(size) > TOLERANCE)
        ;

    for (int row = 0; row < size; row++) {
        for (int column = 0; column < size; column++)
            printf("%s%.3f", column ? " " : "", plate[row][column]);
        printf("\n");
    }
    return 0;
}
