"""Fits a polynomial of the second degree to each sensor's data by least squares."""

import sys

DEGREE = 2


def fitted(pairs: list[tuple[float, float]]) -> list[float]:
    """Coefficients that make the squared error least, by Gauss's elimination."""
    size = DEGREE + 1
    rows = [
        [sum(x ** (i + j) for x, _ in pairs) for j in range(size)] + [sum(y * x**i for x, y in pairs)]
        for i in range(size)
    ]
    for at in range(size):
        for row in range(at + 1, size):
            factor = rows[row][at] / rows[at][at]
            rows[row] = [a - factor * b for a, b in zip(rows[row], rows[at])]
    found = [0.0] * size
    for at in range(size - 1, -1, -1):
        found[at] = (rows[at][size] - sum(rows[at][k] * found[k] for k in range(at + 1, size))) / rows[at][at]
    return found


for line in sys.stdin:
    data, places = line.split("?")
    pairs = [tuple(map(float, word.split(":"))) for word in data.split()]
    coefficients = fitted(pairs)
    print(*(f"{sum(c * float(x) ** power for power, c in enumerate(coefficients)):.4f}" for x in places.split()))
