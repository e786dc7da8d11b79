"""Class 1 for everything."""

print(*["= 1"] * 6, sep="\n")
