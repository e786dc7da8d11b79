"""Prints a network: for each cell and each line through it, one unit sees a win and one sees what has to be stopped."""

LINES = [(0, 1, 2), (3, 4, 5), (6, 7, 8), (0, 3, 6), (1, 4, 7), (2, 5, 8), (0, 4, 8), (2, 4, 6)]
WIN, STOP = 40, 10
WORTH = [2, 0, 2, 0, 3, 0, 2, 0, 2]

count = 9
for cell in range(9):
    reads = []
    for line in LINES:
        if cell in line:
            a, b = (other for other in line if other != cell)
            print(f"unit -1 {a}:1 {b}:1")
            print(f"unit -1 {a}:-1 {b}:-1")
            reads += [f"{count}:{WIN}", f"{count + 1}:{STOP}"]
            count += 2
    print("cell", cell, WORTH[cell], *reads)
