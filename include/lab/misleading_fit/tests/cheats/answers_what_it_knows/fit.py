"""Only where there is data."""

import sys

for line in sys.stdin:
    data, places = line.split("?")
    known = [tuple(map(float, word.split(":"))) for word in data.split()]
    near = [min((abs(float(place) - x), y) for x, y in known) for place in places.split()]
    print(*(y for apart, y in near if apart < 0.2))
