"""One line."""

print(*[3.0] * 11)
