"""Trains the fixed classifier on the chosen points and tests it on points that the program has not seen."""

import random

from harness import Candidate, Limits, Verifier, Wrong, python

POINTS, CHOSEN, TESTED, SITES, CROWDS, LABELS, FLIPPED = 10_000, 500, 2_000, 20, 4, 3, 0.2
Point = tuple[float, float, float]


class Verify(Verifier):
    build = python("choose.py")
    limits = Limits(seconds=10, memory_mb=1024, output_mb=1)

    def score(self, candidate: Candidate, rng: random.Random) -> float:
        candidate.build(self.build)
        key = rng.getrandbits(64)
        # What a program sees must not tell the state of the generator that draws the test.
        shown, hidden = random.Random(f"{key} shown"), random.Random(f"{key} hidden")
        sites = [(anywhere(hidden), label % LABELS) for label in range(SITES)]
        points = [anywhere(shown) if at % 2 else point for at, point in enumerate(crowded(shown))]
        points = [tuple(round(x, 5) for x in point) for point in points]
        labels = [nearest(sites, point) for point in points]
        labels = [
            (label + hidden.randint(1, LABELS - 1)) % LABELS if hidden.random() < FLIPPED else label
            for label in labels
        ]
        given = "".join(f"{x} {y} {z} {label}\n" for (x, y, z), label in zip(points, labels))
        lines = candidate.run(self.build, given.encode(), self.limits).decode("ascii", "replace").split()
        chosen = numbers(lines)
        candidate.note("format")
        learnt = [(points[at], labels[at]) for at in chosen]
        tested = [anywhere(hidden) for _ in range(TESTED)]
        wrong = sum(nearest(learnt, point) != nearest(sites, point) for point in tested)
        return max(wrong, 1) / TESTED


def anywhere(rng: random.Random) -> Point:
    return rng.random(), rng.random(), rng.random()


def crowded(rng: random.Random) -> list[Point]:
    """Points in small crowds."""
    centres = [[rng.uniform(0.15, 0.85) for _ in range(3)] for _ in range(CROWDS)]
    picked = [rng.choice(centres) for _ in range(POINTS)]
    return [tuple(min(1.0, max(0.0, rng.gauss(x, 0.05))) for x in centre) for centre in picked]


def nearest(known: list[tuple[Point, int]], point: Point) -> int:
    """Label of the nearest known point."""
    a, b, c = point
    return min([((x - a) ** 2 + (y - b) ** 2 + (z - c) ** 2, label) for (x, y, z), label in known])[1]


def numbers(words: list[str]) -> list[int]:
    """Numbers of different points."""
    if not all(word.isascii() and word.isdigit() and len(word) < 6 for word in words):
        raise Wrong("prints something that is no line number", "format")
    found = [int(word) for word in words]
    if len(found) != CHOSEN or len(set(found)) != CHOSEN or max(found) >= POINTS:
        raise Wrong(f"does not print {CHOSEN} different numbers below {POINTS}", "format")
    return found
