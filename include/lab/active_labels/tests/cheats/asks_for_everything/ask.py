"""A thousand labels a problem."""

for _ in range(4):
    print(*range(1_000))
