"""Learns decision trees: splits by information as long as a node has enough rows of both classes."""

import math
import sys

NUMBERS = 8
FEWEST = 15


def impurity(ones: int, size: int) -> float:
    """Entropy times size."""
    if not 0 < ones < size:
        return 0.0
    p = ones / size
    return -size * (p * math.log(p) + (1 - p) * math.log(1 - p))


def split(rows: list[list[int]]) -> tuple[float, int, int]:
    """What the best split leaves of the impurity, its number and its threshold."""
    best = (math.inf, 0, 0)
    total, size = sum(row[-1] for row in rows), len(rows)
    for number in range(NUMBERS):
        count, ones = [0] * 101, [0] * 101
        for row in rows:
            count[row[number] + 1] += 1
            ones[row[number] + 1] += row[-1]
        left = left_ones = 0
        for threshold in range(1, 100):
            left += count[threshold]
            left_ones += ones[threshold]
            if 0 < left < size and count[threshold]:
                after = impurity(left_ones, left) + impurity(total - left_ones, size - left)
                best = min(best, (after, number, threshold))
    return best


def grown(rows: list[list[int]]) -> str:
    """A tree in prefix form."""
    ones = sum(row[-1] for row in rows)
    if len(rows) < FEWEST or not 0 < ones < len(rows):
        return f"= {int(2 * ones > len(rows))}"
    after, number, threshold = split(rows)
    if after == math.inf:
        return f"= {int(2 * ones > len(rows))}"
    left = grown([row for row in rows if row[number] < threshold])
    right = grown([row for row in rows if row[number] >= threshold])
    return f"{number} {threshold} {left} {right}"


lines = sys.stdin.read().splitlines()
while lines:
    size = int(lines[0].split()[1])
    print(grown([list(map(int, line.split())) for line in lines[1 : size + 1]]))
    lines = lines[size + 1 :]
