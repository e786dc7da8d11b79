"""Infinity minus infinity."""

import sys

for number, _ in enumerate(sys.stdin):
    print(*["inf", "-inf"] * 4 if number % 2 else ["1e308"] * 8)
