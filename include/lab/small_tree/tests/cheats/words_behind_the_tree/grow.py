"""Two trees in one line."""

print(*["0 50 = 0 = 1 1 50 = 0 = 1"] * 6, sep="\n")
