"""A gate that sorts."""

print("sort", *range(8))
print("out", *range(8))
