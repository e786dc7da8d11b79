"""NaN minus anything is NaN."""

import sys

for _ in sys.stdin:
    print(*["nan"] * 8)
