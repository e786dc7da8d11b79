"""NaN is neither larger nor smaller than anything."""

print("nan nan")
