"""Twenty times nothing."""

print(*["end"] * 20, sep="\n")
