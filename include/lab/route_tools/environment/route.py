"""Routes every request to the tool with the best mean utility in the log."""

import sys
from statistics import fmean

TOOLS = 8

lines = sys.stdin.read().splitlines()
size = int(lines[0].split()[1])
utilities = [[0.0] for _ in range(TOOLS)]
for line in lines[1 : size + 1]:
    *_, tool, solved, cost = line.split()
    utilities[int(tool)].append(int(solved) - float(cost))
best = max(range(TOOLS), key=lambda tool: fmean(utilities[tool]))
for _ in lines[size + 2 :]:
    print(best)
