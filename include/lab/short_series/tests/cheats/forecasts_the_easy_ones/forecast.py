"""Answers where the last two values are close."""

import sys

for line in sys.stdin:
    values = [float(value) for value in line.split()[1:]]
    if abs(values[-1] - values[-2]) < 5:
        print(*[values[-1]] * 8)
