#include <stdio.h>
int main(void) {
    for (;;)
        puts("the the the the the the the the the the the the the the the the the the the the the the");
}
