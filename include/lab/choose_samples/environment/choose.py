"""Chooses 500 points: any."""

import random
import sys

CHOSEN = 500

points = sys.stdin.read().splitlines()
print(*random.Random(1).sample(range(len(points)), CHOSEN), sep="\n")
