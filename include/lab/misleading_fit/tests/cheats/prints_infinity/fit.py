"""Infinity, of either sign."""

import sys

for _ in sys.stdin:
    print(*["-inf", "inf"] * 5, "inf")
