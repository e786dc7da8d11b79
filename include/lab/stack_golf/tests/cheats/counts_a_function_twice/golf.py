"""Twelve lines, one function."""

for _ in range(12):
    print("triangle", "dup 1 + * 2 /")
