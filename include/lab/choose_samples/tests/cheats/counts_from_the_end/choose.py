"""-1 is the last point."""

print(*range(-500, 0), sep="\n")
