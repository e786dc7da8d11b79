"""Proposes 25 points for each function: around the best ones, and at the bottom of a parabola.

The first round fills the cube evenly (Halton's sequence). Later ones draw most points from a normal distribution that is
fitted to the best points so far (estimation of distribution), narrower with every round, and a few around the minimum of a
quadratic model of them.
"""

import math
import random
import sys

DIMENSIONS, POINTS = 5, 25
ELITE, SPREAD, BROAD = 12, 0.9, 2
MODELLED, RIDGE, DESCENTS = 45, 1e-6, 12
PRIMES = (2, 3, 5, 7, 11)


def halton(index: int, base: int) -> float:
    """The index in the base, mirrored at the point."""
    value, share = 0.0, 1.0
    while index:
        share /= base
        index, digit = divmod(index, base)
        value += share * digit
    return value


def solve(matrix: list[list[float]], right: list[float]) -> list[float]:
    """Gauss's elimination with pivots."""
    size = len(right)
    rows = [[*row, value] for row, value in zip(matrix, right)]
    for at in range(size):
        pivot = max(range(at, size), key=lambda row: abs(rows[row][at]))
        rows[at], rows[pivot] = rows[pivot], rows[at]
        for row in range(at + 1, size):
            if factor := rows[row][at] / rows[at][at]:
                rows[row] = [a - factor * b for a, b in zip(rows[row], rows[at])]
    found = [0.0] * size
    for at in range(size - 1, -1, -1):
        found[at] = (rows[at][size] - sum(rows[at][k] * found[k] for k in range(at + 1, size))) / rows[at][at]
    return found


def features(x: list[float]) -> list[float]:
    """1, the coordinates, their products."""
    return [1.0, *x, *(x[i] * x[j] for i in range(DIMENSIONS) for j in range(i, DIMENSIONS))]


def model_minimum(known: list[tuple[float, list[float]]]) -> list[float]:
    """Where a parabola through the best points is lowest, within the box that they span."""
    near = known[:MODELLED]
    centre = near[0][1]
    reach = [max(abs(x[i] - centre[i]) for _, x in near[:ELITE]) or 1e-6 for i in range(DIMENSIONS)]
    rows = [features([(x[i] - centre[i]) / reach[i] for i in range(DIMENSIONS)]) for _, x in near]
    weights = [1 / (1 + rank / 6) for rank in range(len(near))]
    size = len(rows[0])
    normal = [[sum(w * r[i] * r[j] for w, r in zip(weights, rows)) for j in range(size)] for i in range(size)]
    for at in range(size):
        normal[at][at] += RIDGE + 1e-6 * normal[at][at]
    scale = near[-1][0] - near[0][0] or 1.0
    right = [
        sum(w * r[i] * (y - near[0][0]) / scale for w, r, (y, _) in zip(weights, rows, near)) for i in range(size)
    ]
    coefficients = solve(normal, right)
    z = [0.0] * DIMENSIONS
    for _ in range(DESCENTS):  # one coordinate after the other
        for i in range(DIMENSIONS):
            best = min(
                (sum(c * f for c, f in zip(coefficients, features([*z[:i], step, *z[i + 1 :]]))), step)
                for step in (z[i], *(max(-1.0, min(1.0, z[i] + d)) for d in (-0.3, -0.1, -0.02, 0.02, 0.1, 0.3)))
            )
            z[i] = best[1]
    return [centre[i] + reach[i] * z[i] for i in range(DIMENSIONS)]


def proposals(known: list[tuple[float, list[float]]], rng: random.Random) -> list[list[float]]:
    """The next 25 points."""
    if not known:
        return [[(halton(at, base) + 0.5 / POINTS) % 1 for base in PRIMES] for at in range(1, POINTS + 1)]
    known = sorted(known)
    elite = [x for _, x in known[:ELITE]]
    weights = [math.log(ELITE + 0.5) - math.log(rank) for rank in range(1, ELITE + 1)]
    total = sum(weights)
    mean = [sum(w * x[i] for w, x in zip(weights, elite)) / total for i in range(DIMENSIONS)]
    points = []
    if len(known) > 2 * POINTS:
        bottom = model_minimum(known)
        width = math.dist(bottom, elite[0]) / 4
        points = [bottom, *([b + width * rng.gauss(0, 1) for b in bottom] for _ in range(3))]
    points += [[rng.random() for _ in range(DIMENSIONS)] for _ in range(BROAD)]
    while len(points) < POINTS:
        shares = [math.sqrt(w / total) * rng.gauss(0, 1) for w in weights]
        from_ = elite[0] if len(points) % 2 else mean
        points.append(
            [from_[i] + SPREAD * sum(s * (x[i] - mean[i]) for s, x in zip(shares, elite)) for i in range(DIMENSIONS)]
        )
    return points


def main() -> None:
    """One round."""
    lines = iter(sys.stdin.read().splitlines())
    rng = random.Random(int(next(lines)))
    for line in lines:
        known = []
        for _ in range(int(line)):
            *x, y = map(float, next(lines).split())
            known.append((y, x))
        for point in proposals(known, rng):
            print(*(f"{min(1.0, max(0.0, value)):.7f}" for value in point))


main()
