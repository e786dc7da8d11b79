"""Batcher's network without its last comparator but one."""

import io
from contextlib import redirect_stdout


def merge(low, count, step):
    if count == 2:
        print(low, low + step)
        return
    merge(low, count // 2, 2 * step)
    merge(low + step, count // 2, 2 * step)
    for at in range(1, count - 1, 2):
        print(low + at * step, low + (at + 1) * step)


def sort(low, count):
    if count > 1:
        sort(low, count // 2)
        sort(low + count // 2, count // 2)
        merge(low, count, 1)


with redirect_stdout(io.StringIO()) as network:
    sort(0, 16)
lines = network.getvalue().splitlines()
print(*lines[:-3], *lines[-1:], sep="\n")
