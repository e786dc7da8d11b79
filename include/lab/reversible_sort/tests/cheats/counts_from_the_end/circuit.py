"""Wire -1."""

print("cnot", -1, 0)
print("out", *range(8))
