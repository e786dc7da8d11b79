"""Prints a network: one unit a line of the board that sees a win, one that sees what has to be stopped.

A line's unit speaks for all three of its cells: those that are taken are no moves anyway.
"""

LINES = [(0, 1, 2), (3, 4, 5), (6, 7, 8), (0, 3, 6), (1, 4, 7), (2, 5, 8), (0, 4, 8), (2, 4, 6)]
WIN, STOP = 40, 10
WORTH = [2, 0, 2, 0, 3, 0, 2, 0, 2]

reads = [[] for _ in range(9)]
for number, line in enumerate(LINES):
    for sign, worth, unit in ((1, WIN, 9 + 2 * number), (-1, STOP, 10 + 2 * number)):
        print("unit -1", *(f"{cell}:{sign}" for cell in line))
        for cell in line:
            reads[cell].append(f"{unit}:{worth}")
for cell in range(9):
    print("cell", cell, WORTH[cell], *reads[cell])
