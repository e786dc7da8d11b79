"""40 points a round."""

import random
import sys

lines = iter(sys.stdin.read().splitlines())
next(lines)
for line in lines:
    for _ in range(int(line)):
        next(lines)
    for _ in range(40):
        print(*(random.random() for _ in range(5)))
