"""Asks first for points that are spread evenly, then for those near a border; classifies by weighted neighbours.

Most of each later round goes to points about which the known neighbours disagree (uncertainty sampling), the rest to the
points that are farthest from all known ones. Points asked for in one round keep away from each other.
"""

import math
import sys

ASKED, EVEN_ROUNDS = 20, 2
NEIGHBOURS, POWER = 6, 3
BORDER_SHARE = 0.8


def belief(point, labelled):
    """Probability of class 1, by the nearest labels, and the distance of the nearest."""
    near = sorted((math.dist(point, other), label) for other, label in labelled)[:NEIGHBOURS]
    weights = [1 / (far + 1e-6) ** POWER for far, _ in near]
    return sum(w * label for w, (_, label) in zip(weights, near)) / sum(weights), near[0][0]


def asked(points, labels, turn):
    """Numbers of the next points."""
    known = [points[at] for at in labels] or [(0.5, 0.5)]
    labelled = [(points[at], label) for at, label in labels.items()]
    unknown = [at for at in range(len(points)) if at not in labels]
    apart = {at: min(math.dist(points[at], other) for other in known) for at in unknown}
    unsure = dict.fromkeys(unknown, 0.0)
    if labelled:
        unsure = {at: 1 - 2 * abs(belief(points[at], labelled)[0] - 0.5) for at in unknown}
    chosen = []
    for number in range(ASKED):
        border = turn > EVEN_ROUNDS and number < BORDER_SHARE * ASKED
        best = max(
            (at for at in unknown if at not in chosen),
            key=lambda at: (unsure[at] + 0.05) * apart[at] if border else apart[at],
        )
        chosen.append(best)
        for at in unknown:
            apart[at] = min(apart[at], math.dist(points[at], points[best]))
    return chosen


def main():
    """One round."""
    lines = iter(sys.stdin.read().splitlines())
    turn = int(next(lines).split()[1])
    for line in lines:
        size, known = map(int, line.split()[1:])
        points = [tuple(map(float, next(lines).split())) for _ in range(size)]
        labels = dict(tuple(map(int, next(lines).split())) for _ in range(known))
        if turn < 7:
            print(*asked(points, labels, turn))
        else:
            labelled = [(points[at], label) for at, label in labels.items()]
            print(*(labels.get(at, int(belief(point, labelled)[0] > 0.5)) for at, point in enumerate(points)))


main()
