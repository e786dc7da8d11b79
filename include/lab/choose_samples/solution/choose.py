"""Chooses 500 points: cleaned by their neighbours' votes, spread evenly, then more where the choice so far is wrong.

A point stands for itself only where most of its neighbours have its label (Wilson's editing, 1972). Of those, one in each
coarse cell is taken; what remains goes to points that the choice so far gets wrong (Hart's condensing, 1968), the ones
that most of their neighbours agree with first.
"""

import sys
from collections import defaultdict

CHOSEN, LABELS = 500, 3
FINE, COARSE = 12, 6
NEIGHBOURS, AGREED = 15, 0.6
ROUND = 20


def cell(point, parts):
    """Indices of the cell of a grid that holds the point."""
    return tuple(min(parts - 1, int(x * parts)) for x in point)


def distance(a, b):
    """Squared distance."""
    return (a[0] - b[0]) ** 2 + (a[1] - b[1]) ** 2 + (a[2] - b[2]) ** 2


def votes(points, labels):
    """Share of the nearest neighbours that have the point's label, for those points that are no crowd's surplus."""
    cells = defaultdict(list)
    for at, point in enumerate(points):
        if len(cells[cell(point, FINE)]) < ROUND:
            cells[cell(point, FINE)].append(at)
    found = {}
    for (i, j, k), members in list(cells.items()):
        around = [
            at
            for a in (i - 1, i, i + 1)
            for b in (j - 1, j, j + 1)
            for c in (k - 1, k, k + 1)
            for at in cells.get((a, b, c), ())
        ]
        for at in members:
            near = sorted((distance(points[at], points[other]), other) for other in around if other != at)[
                :NEIGHBOURS
            ]
            found[at] = sum(labels[other] == labels[at] for _, other in near) / max(1, len(near))
    return found


def main():
    """Read, choose, print."""
    rows = [line.split() for line in sys.stdin]
    points = [tuple(map(float, row[:3])) for row in rows]
    labels = [int(row[3]) for row in rows]
    agreed = votes(points, labels)
    clean = [at for at, share in agreed.items() if share >= AGREED]
    first = {}
    for at in sorted(clean, key=lambda at: -agreed[at]):
        first.setdefault(cell(points[at], COARSE), at)
    chosen = list(first.values())
    near = {at: min((distance(points[at], points[one]), labels[one]) for one in chosen) for at in clean}
    while len(chosen) < CHOSEN:
        wrong = [at for at in clean if near[at][1] != labels[at]]
        wrong.sort(key=lambda at: (-near[at][0] * agreed[at], at))
        added = wrong[: min(ROUND, CHOSEN - len(chosen))]
        if not added:
            taken = set(chosen)
            added = sorted((at for at in clean if at not in taken), key=lambda at: -near[at][0])[
                : CHOSEN - len(chosen)
            ]
        chosen += added
        for at in clean:
            near[at] = min([near[at], *((distance(points[at], points[one]), labels[one]) for one in added)])
    print(*chosen, sep="\n")


main()
