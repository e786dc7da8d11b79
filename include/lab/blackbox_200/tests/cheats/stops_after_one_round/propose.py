"""One round only."""

import random
import sys

if sys.stdin.readline() != "1\n":
    sys.exit()
for _ in range(24 * 25):
    print(*(random.random() for _ in range(5)))
