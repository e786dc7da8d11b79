"""Points 0 to 19."""

for _ in range(4):
    print(*range(20))
