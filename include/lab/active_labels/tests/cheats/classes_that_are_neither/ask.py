"""Not decided."""

import random
import sys

turn = int(sys.stdin.readline().split()[1])
rng = random.Random(0)
order = rng.sample(range(1_000), 120)
for _ in range(4):
    print(*(order[20 * turn - 20 : 20 * turn] if turn < 7 else [0.5] * 1_000))
