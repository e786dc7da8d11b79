"""Twenty points, 25 times each."""

print(*list(range(20)) * 25, sep="\n")
