"""Proposes 25 points for each function: anywhere."""

import random
import sys

DIMENSIONS, POINTS = 5, 25

lines = iter(sys.stdin.read().splitlines())
rng = random.Random(int(next(lines)))
for line in lines:
    for _ in range(int(line)):
        next(lines)
    for _ in range(POINTS):
        print(*(f"{rng.random():.6f}" for _ in range(DIMENSIONS)))
