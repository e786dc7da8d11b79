"""An oblique split, which the format does not have."""

print(*["0+1+2 150 = 0 = 1"] * 6, sep="\n")
