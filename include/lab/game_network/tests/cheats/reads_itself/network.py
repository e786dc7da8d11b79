"""A memory between positions."""

print("unit 1 9:1 0:1")
print("cell 0 0 9:1")
