"""Twelve times nothing."""

print(*["end"] * 12, sep="\n")
