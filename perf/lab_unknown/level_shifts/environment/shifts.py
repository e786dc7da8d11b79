"""Reads series of measurements, one a line; prints where the level of each one shifts."""

import sys

WINDOW = 4
SMOOTHING = 0.9
GUARD = 40


def smoothed(series):
    level, result = series[0], []
    for value in series:
        level = SMOOTHING * level + (1 - SMOOTHING) * value
        result.append(level)
    return result


def shift(series):
    curve = smoothed(series)
    best, where = -1.0, len(series) // 2
    for at in range(GUARD, len(series) - GUARD):
        before = sum(curve[at - WINDOW : at]) / WINDOW
        after = sum(curve[at : at + WINDOW]) / WINDOW
        jump = abs(after - before)
        if jump > best:
            best, where = jump, at
    return where


for line in sys.stdin:
    print(shift([float(word) for word in line.split()]))
