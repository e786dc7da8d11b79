"""A prefix of a tree."""

print(*["0 50 1 50 = 0 = 1"] * 6, sep="\n")
