"""NaN is different from itself."""

print(*["nan"] * 500, sep="\n")
