"""Comments are no weights, and play nothing."""

for cell in range(9):
    print("cell", cell, 0, "#", " ".join(f"{other}:1" for other in range(9)))
