"""All eight."""

for _ in range(2_000):
    print(*range(8))
