/* For each line of standard input: the length of the longest stretch in which no letter occurs twice. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int has_repeat(const char *line, int from, int to) {
    int i, j;
    for (i = from; i < to; i++)
        for (j = from; j < to; j++)
            if (i != j && line[i] == line[j])
                return 1;
    return 0;
}

int main(void) {
    char line[256];
    while (fgets(line, 256, stdin)) {
        int length = (int)strcspn(line, "\n");
        int best = 0;
        int limit = 40;
        char *copy = malloc(256);
        strcpy(copy, line);
        for (int from = 0; from < length; from++) {
            for (int to = from + 1; to <= length && to <= from + limit; to++) {
                if (!has_repeat(copy, from, to)) {
                    if (to - from > best)
                        best = to - from;
                }
            }
        }
        free(copy);
        printf("%d\n", best);
    }
    return 0;
}
