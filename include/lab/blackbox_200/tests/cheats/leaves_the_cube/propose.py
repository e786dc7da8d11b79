"""Far outside, where a valley that is shifted may be lower."""

import sys

lines = iter(sys.stdin.read().splitlines())
next(lines)
for line in lines:
    for _ in range(int(line)):
        next(lines)
    for _ in range(25):
        print(*[1e6] * 5)
