"""NaN as a class."""

print(*["0 50 = nan = nan"] * 6, sep="\n")
