"""Ten thousand of ten thousand."""

print(*range(10_000), sep="\n")
