"""Routes each request to the tool with the best utility by a model of each tool.

A logistic regression of "solved" on kind, numbers and their squares, fitted by Newton's method with a ridge; cost is the
tool's price times what X4 adds, by least squares. What the router preferred does not matter, since it decided by the same
numbers.
"""

import math
import sys

TOOLS, KINDS = 8, 6
RIDGE, STEPS = 1.0, 6


def features(words):
    """Kind as zeros and a one, numbers, their squares."""
    numbers = [float(word) for word in words[1:5]]
    kind = int(words[0])
    return [*(float(kind == k) for k in range(KINDS)), *numbers, *(x * x for x in numbers)]


def dot(a, b):
    """Sum of products."""
    return sum([x * y for x, y in zip(a, b)])


def solve(matrix, right):
    """Gauss's elimination; the matrix is positive definite."""
    rows = [[*row, value] for row, value in zip(matrix, right)]
    size = len(rows)
    for at in range(size):
        for row in range(at + 1, size):
            factor = rows[row][at] / rows[at][at]
            rows[row] = [a - factor * b for a, b in zip(rows[row], rows[at])]
    found = [0.0] * size
    for at in range(size - 1, -1, -1):
        found[at] = (rows[at][size] - dot(rows[at][at + 1 : size], found[at + 1 :])) / rows[at][at]
    return found


def logistic(rows, solved):
    """Weights of a logistic regression."""
    size = KINDS + 8
    weights = [0.0] * size
    for _ in range(STEPS):
        gradient = [-RIDGE * w for w in weights]
        curvature = [[RIDGE * (i == j) for j in range(size)] for i in range(size)]
        for row, y in zip(rows, solved):
            p = 1 / (1 + math.exp(-dot(weights, row)))
            gradient = [g + (y - p) * x for g, x in zip(gradient, row)]
            for i, x in enumerate(row):
                if x:
                    share = p * (1 - p) * x
                    curvature[i] = [c + share * other for c, other in zip(curvature[i], row)]
        weights = [w + step for w, step in zip(weights, solve(curvature, gradient))]
    return weights


def main():
    """Read, fit, route."""
    lines = sys.stdin.read().splitlines()
    size = int(lines[0].split()[1])
    log = [line.split() for line in lines[1 : size + 1]]
    models = []
    for tool in range(TOOLS):
        mine = [words for words in log if int(words[5]) == tool]
        weights = logistic([features(words) for words in mine], [int(words[6]) for words in mine])
        x4, costs = [float(words[4]) for words in mine], [float(words[7]) for words in mine]
        price, slope = solve(
            [[len(mine) + 1e-6, sum(x4)], [sum(x4), dot(x4, x4) + 1e-6]], [sum(costs), dot(x4, costs)]
        )
        models.append((weights, price, slope))
    for line in lines[size + 2 :]:
        row = features(words := line.split())
        x4 = float(words[4])
        print(
            max(
                range(TOOLS),
                key=lambda t: 1 / (1 + math.exp(-dot(models[t][0], row))) - models[t][1] - models[t][2] * x4,
            )
        )


main()
