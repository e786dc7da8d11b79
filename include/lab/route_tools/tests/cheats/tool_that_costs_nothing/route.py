"""Tool 8."""

for _ in range(2_000):
    print(8)
