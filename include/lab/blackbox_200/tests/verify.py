"""Functions that the program never sees: it proposes points in rounds and is told their values in the next one."""

import math
import random
from collections.abc import Callable
from itertools import pairwise
from statistics import median

from harness import Candidate, Limits, Verifier, Wrong, python

FUNCTIONS, DIMENSIONS, ROUNDS, POINTS, LEAST = 24, 5, 8, 25, 1e-6
Point = list[float]


class Verify(Verifier):
    build = python("propose.py")
    limits = Limits(seconds=4, memory_mb=512, output_mb=1)

    def score(self, candidate: Candidate, rng: random.Random) -> float:
        candidate.build(self.build)
        functions = [function(number, rng) for number in range(FUNCTIONS)]
        shown = [(rng.uniform(-100, 100), 10 ** rng.uniform(-1, 1)) for _ in functions]
        told: list[list[str]] = [[] for _ in functions]
        best = [math.inf] * FUNCTIONS
        for turn in range(1, ROUNDS + 1):
            given = "\n".join([str(turn), *("\n".join([str(len(each)), *each]) for each in told)]) + "\n"
            lines = candidate.run(self.build, given.encode(), self.limits).decode("ascii", "replace").splitlines()
            if len(lines) != FUNCTIONS * POINTS:
                raise Wrong(f"round {turn}: printed {len(lines)} lines instead of {FUNCTIONS * POINTS}", "format")
            for at, line in enumerate(lines):
                number, at_point = at // POINTS, point(line, f"round {turn}, line {at + 1}")
                value, (shift, scale) = functions[number](at_point), shown[number]
                best[number] = min(best[number], value)
                told[number].append(" ".join([*(f"{x:.9f}" for x in at_point), f"{shift + scale * value:.9f}"]))
        candidate.note("format")
        usual = [median(each([rng.random() for _ in range(DIMENSIONS)]) for _ in range(301)) for each in functions]
        return math.exp(math.fsum(math.log(max(LEAST, b / u)) for b, u in zip(best, usual)) / FUNCTIONS)


def point(line: str, where: str) -> Point:
    try:
        found = [float(word) for word in line.split()]
    except ValueError:
        raise Wrong(f"{where}: not numbers", "format") from None
    if len(found) != DIMENSIONS or not all(0 <= x <= 1 for x in found):  # NaN is not between anything
        raise Wrong(f"{where}: not {DIMENSIONS} numbers from 0 to 1", "format")
    return found


def function(number: int, rng: random.Random) -> Callable[[Point], float]:
    """A function whose minimum is 0, at a point inside of the cube; its kind goes by the number."""
    centre = [rng.uniform(0.15, 0.85) for _ in range(DIMENSIONS)]
    axes = orthogonal(rng)
    widths = [10 ** rng.uniform(0, 1) for _ in range(DIMENSIONS)]
    others = [([rng.random() for _ in range(DIMENSIONS)], rng.uniform(0.1, 0.4)) for _ in range(3)]

    def turned(x: Point) -> Point:
        return [w * sum(a * (v - c) for a, v, c in zip(axis, x, centre)) for axis, w in zip(axes, widths)]

    def valley(x: Point) -> float:
        return sum(z * z for z in turned(x))

    def bent(x: Point) -> float:
        z = turned(x)
        return sum(10 * (b - a * a) ** 2 + a * a for a, b in pairwise(z))

    def kinks(x: Point) -> float:
        return sum(abs(z) for z in turned(x))

    def steps(x: Point) -> float:
        return sum(math.floor(abs(z) / 0.15) for z in turned(x)) + 0.1 * kinks(x)

    def ripples(x: Point) -> float:
        return sum(4 * d * d + 0.15 * (1 - math.cos(6 * math.pi * d)) for d in (v - c for v, c in zip(x, centre)))

    def basins(x: Point) -> float:
        return min(sum((v - c) ** 2 for v, c in zip(x, at)) + high for at, high in [(centre, 0.0), *others])

    return [valley, bent, kinks, steps, ripples, basins][number % 6]


def orthogonal(rng: random.Random) -> list[Point]:
    """Axes in random directions, by Gram and Schmidt."""
    axes: list[Point] = []
    while len(axes) < DIMENSIONS:
        axis = [rng.gauss(0, 1) for _ in range(DIMENSIONS)]
        for other in axes:
            along = sum(a * b for a, b in zip(axis, other))
            axis = [a - along * b for a, b in zip(axis, other)]
        length = math.hypot(*axis)
        axes.append([a / length for a in axis])
    return axes
