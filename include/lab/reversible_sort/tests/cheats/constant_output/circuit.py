"""Sorted, but not the input."""

print("out", *range(8, 16))
