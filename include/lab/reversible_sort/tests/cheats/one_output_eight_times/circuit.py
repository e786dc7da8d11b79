"""One bit, eight times."""

print("out", *[0] * 8)
