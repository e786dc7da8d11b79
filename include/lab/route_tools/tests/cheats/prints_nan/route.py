"""NaN."""

for _ in range(2_000):
    print("nan")
