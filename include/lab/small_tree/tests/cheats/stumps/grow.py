"""One node each."""

import sys

lines = sys.stdin.read().splitlines()
while lines:
    size = int(lines[0].split()[1])
    rows = [list(map(int, line.split())) for line in lines[1 : size + 1]]
    right, number, threshold = max(
        (sum((row[n] >= t) == row[-1] for row in rows), n, t) for n in range(8) for t in range(10, 100, 10)
    )
    print(number, threshold, "= 0 = 1")
    lines = lines[size + 1 :]
