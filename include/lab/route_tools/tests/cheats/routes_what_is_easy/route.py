"""Half of the requests."""

for _ in range(1_000):
    print(0)
