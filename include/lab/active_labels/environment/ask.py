"""Asks for the labels of any points; classifies by the nearest one that is known."""

import random
import sys

ASKED = 20

lines = iter(sys.stdin.read().splitlines())
turn = int(next(lines).split()[1])
for line in lines:
    size, known = map(int, line.split()[1:])
    points = [tuple(map(float, next(lines).split())) for _ in range(size)]
    labels = dict(tuple(map(int, next(lines).split())) for _ in range(known))
    if turn < 7:
        unknown = [at for at in range(size) if at not in labels]
        print(*random.Random(turn).sample(unknown, ASKED))
    else:
        said = []
        for x, y in points:
            _, nearest = min(((points[at][0] - x) ** 2 + (points[at][1] - y) ** 2, at) for at in labels)
            said.append(labels[nearest])
        print(*said)
