"""NaN wins every comparison that is asked the wrong way round."""

for cell in range(9):
    print("cell", cell, 0, "0:nan")
