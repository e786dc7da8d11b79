#include <math.h>
#include <stdio.h>
int main(void) {
    double out = NAN;
    for (int i = 0; i < 2 * 16 * 1024; i++)
        fwrite(&out, sizeof out, 1, stdout);
    return 0;
}
