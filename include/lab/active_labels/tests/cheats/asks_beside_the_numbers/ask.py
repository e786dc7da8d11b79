"""From the end of the list."""

for _ in range(4):
    print(*range(-20, 0))
