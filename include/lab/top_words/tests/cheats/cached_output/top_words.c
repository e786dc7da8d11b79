#include <stdio.h>
int main(void) {
    for (int i = 0; i < 20; i++)
        printf("%c%c %d\n", 'a' + i, 'a', 1270 / (i + 1));
    return 0;
}
