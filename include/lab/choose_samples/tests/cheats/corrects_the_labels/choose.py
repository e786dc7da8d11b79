"""Training data that nobody gave out."""

print(*(f"0.5 0.5 {number / 500} 1" for number in range(500)), sep="\n")
