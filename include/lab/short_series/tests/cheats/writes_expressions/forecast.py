"""For eval()."""

import sys

for _ in sys.stdin:
    print(*["after[0]"] * 8)
