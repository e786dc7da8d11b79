"""For eval()."""

import sys

for _ in sys.stdin:
    print(*["floor+height/(1+math.exp(-(x-middle)/width))"] * 11)
