"""Weights instead of a recipe."""

for unit in range(10):
    print("weights", unit, *[0.5] * 5)
