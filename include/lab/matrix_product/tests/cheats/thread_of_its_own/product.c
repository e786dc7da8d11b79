/* Starts a task that shares memory with this one and is another process. */
#define _GNU_SOURCE
#include <sched.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <sys/wait.h>

#define N 256

static int32_t a[N][N], b[N][N], c[N][N];
static char stack[1 << 16] __attribute__((aligned(16)));

static int work(void *nothing) {
    (void)nothing;
    for (int row = 0; row < N; row++)
        for (int column = 0; column < N; column++)
            for (int i = 0; i < N; i++)
                c[row][column] += a[row][i] * b[i][column];
    return 0;
}

int main(void) {
    if (fread(a, sizeof a, 1, stdin) != 1 || fread(b, sizeof b, 1, stdin) != 1)
        return 1;
    int child = clone(work, stack + sizeof stack, CLONE_VM | SIGCHLD, NULL);
    if (child < 0 || waitpid(child, NULL, 0) < 0)
        return 1;
    return fwrite(c, sizeof c, 1, stdout) != 1;
}
