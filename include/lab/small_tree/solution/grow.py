"""Learns decision trees: looks two splits ahead, and prunes what saves too few errors.

A split is chosen for what one more split of each side leaves, since numbers may say something together only. A subtree stays
when it saves at least WORTH errors a node (cost-complexity pruning; Breiman et al. 1984).
"""

import math
import sys

NUMBERS = 8
WIDTH = 10
FEWEST, WORTH, DEEPEST, LOOK_AHEAD, GAIN = 30, 20, 5, 150, 3.0


def impurity(ones: int, size: int) -> float:
    """Entropy times size."""
    if not 0 < ones < size:
        return 0.0
    p = ones / size
    return -size * (p * math.log(p) + (1 - p) * math.log(1 - p))


def pairs_first(rows: list[list[int]]) -> tuple[float, int, int]:
    """The split after which one more split of each side leaves least: what it leaves, its number, its threshold's bin."""
    bins = 100 // WIDTH
    best = (math.inf, 0, 0)
    cut = [[value // WIDTH for value in row[:NUMBERS]] + row[-1:] for row in rows]
    for first in range(NUMBERS):
        tables = []
        for second in range(NUMBERS):
            count = [[0] * bins for _ in range(bins)]
            ones = [[0] * bins for _ in range(bins)]
            for row in cut:
                count[row[first]][row[second]] += 1
                ones[row[first]][row[second]] += row[-1]
            tables.append((count, ones))
        for threshold in range(1, bins):
            left = sum_best(tables, 0, threshold)
            right = sum_best(tables, threshold, bins)
            best = min(best, (left + right, first, threshold * WIDTH))
    return best


def sum_best(tables: list, low: int, high: int) -> float:
    """What the best second split leaves of the rows whose first number is in the bins from low to high."""
    best = math.inf
    for count, ones in tables:
        sizes = [sum(column) for column in zip(*count[low:high])]
        hits = [sum(column) for column in zip(*ones[low:high])]
        total, total_ones, left, left_ones = sum(sizes), sum(hits), 0, 0
        for size, one in zip(sizes, hits):
            left, left_ones = left + size, left_ones + one
            best = min(best, impurity(left_ones, left) + impurity(total_ones - left_ones, total - left))
    return best


def fine(rows: list[list[int]], number: int, coarse: int) -> int:
    """The threshold near the coarse one after which single splits of both sides leave least."""

    def left_over(threshold: int) -> float:
        return sum(
            split(part)[0]
            for part in ([r for r in rows if r[number] < threshold], [r for r in rows if r[number] >= threshold])
            if part
        )

    return min(range(max(1, coarse - WIDTH + 2), min(99, coarse + WIDTH - 1), 3), key=left_over)


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


def grown(rows: list[list[int]], depth: int = 0) -> tuple:
    """A tree: (errors, nodes, prefix form), pruned where a node saves fewer errors than it has to."""
    ones = sum(row[-1] for row in rows)
    leaf = (min(ones, len(rows) - ones), 0, f"= {int(2 * ones > len(rows))}")
    if len(rows) < FEWEST or leaf[0] < WORTH or depth == DEEPEST:
        return leaf
    after, number, threshold = split(rows)
    if len(rows) >= LOOK_AHEAD:
        later, first, coarse = pairs_first(rows)
        halves = [[row for row in rows if row[number] < threshold], [row for row in rows if row[number] >= threshold]]
        if after == math.inf or later < sum(split(half)[0] for half in halves if half) - GAIN:
            number, threshold = first, fine(rows, first, coarse)
    elif after == math.inf:
        return leaf
    left = grown([row for row in rows if row[number] < threshold], depth + 1)
    right = grown([row for row in rows if row[number] >= threshold], depth + 1)
    errors, nodes = left[0] + right[0], left[1] + right[1] + 1
    if leaf[0] - errors < WORTH * nodes:
        return leaf
    return errors, nodes, f"{number} {threshold} {left[2]} {right[2]}"


lines = sys.stdin.read().splitlines()
while lines:
    size = int(lines[0].split()[1])
    print(grown([list(map(int, line.split())) for line in lines[1 : size + 1]])[2])
    lines = lines[size + 1 :]
