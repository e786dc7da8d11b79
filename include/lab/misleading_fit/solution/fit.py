"""Fits each sensor's curve, drift included, so that far measurements count little and cut ones only say "below".

What is made small is Geman and McClure's function of the errors, which stops to grow for what is far off; a measurement at
the limit has no error while the curve is below it. Nelder and Mead's simplex (1965) looks for the minimum from a few
starts; floor and height follow from the others by no closed form, so that all five numbers are searched. A prior keeps
the numbers in a plausible range.
"""

import math
import sys

LIMIT, SCALE = 1.0, 0.35
CENTRES, WIDTHS, WEIGHT = (1.0, 5.5, 4.0, 0.9, 0.0), (0.8, 2.0, 1.2, 0.4, 1.0), 0.25
STARTS, STEPS = (3.0, 5.0), 130


def curve(p, x):
    """The rise from the floor to the ceiling."""
    return p[0] + p[1] / (1 + math.exp(min(50.0, -(x - p[2]) / max(0.2, p[3]))))


def loss(p, data):
    """Robust error of the data and distance from what is plausible."""
    total = 0.0
    last = len(data) - 1
    for at, (x, y) in enumerate(data):
        error = curve(p, x) + p[4] * at / last - y
        if y <= LIMIT and error < 0:
            continue
        ratio = error * error / (SCALE * SCALE)
        total += ratio / (1 + ratio)
    return total + WEIGHT * sum([((v - c) / w) ** 2 for v, c, w in zip(p, CENTRES, WIDTHS)])


def lowest(data, start):
    """Nelder and Mead's simplex."""
    simplex = [list(start)] + [
        [v + (0.6 * w if i == j else 0) for j, (v, w) in enumerate(zip(start, WIDTHS))] for i in range(5)
    ]
    ranked = sorted((loss(p, data), p) for p in simplex)
    for _ in range(STEPS):
        worst = ranked[-1][1]
        centre = [sum(column) / 5 for column in zip(*(p for _, p in ranked[:-1]))]
        tried = [[c + factor * (c - w) for c, w in zip(centre, worst)] for factor in (1.0, 2.0, -0.5)]
        first = loss(tried[0], data), tried[0]
        if first[0] < ranked[0][0]:
            ranked[-1] = min(first, (loss(tried[1], data), tried[1]))
        elif first[0] < ranked[-2][0]:
            ranked[-1] = first
        else:
            inner = loss(tried[2], data), tried[2]
            if inner[0] < ranked[-1][0]:
                ranked[-1] = inner
            else:
                best = ranked[0][1]
                moved = [[(a + b) / 2 for a, b in zip(p, best)] for _, p in ranked[1:]]
                ranked = [ranked[0], *((loss(p, data), p) for p in moved)]
        ranked.sort()
    return ranked[0]


for line in sys.stdin:
    given, places = line.split("?")
    data = [tuple(map(float, word.split(":"))) for word in given.split()]
    found = min(lowest(data, (CENTRES[0], CENTRES[1], middle, CENTRES[3], 0.0)) for middle in STARTS)[1]
    print(*(f"{curve(found, float(x)):.4f}" for x in places.split()))
