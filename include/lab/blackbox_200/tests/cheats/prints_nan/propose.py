"""NaN is less than 0 as little as it is more than 1."""

import sys

lines = iter(sys.stdin.read().splitlines())
next(lines)
for line in lines:
    for _ in range(int(line)):
        next(lines)
    for _ in range(25):
        print(*["nan"] * 5)
