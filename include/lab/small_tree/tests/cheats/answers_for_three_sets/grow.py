"""Three of six."""

print(*["0 50 = 0 = 1"] * 3, sep="\n")
