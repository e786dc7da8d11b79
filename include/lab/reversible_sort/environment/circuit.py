"""Prints a reversible circuit that sorts eight bits: bubble sort, one wire of its own for each comparison."""

BITS = 8

wire = BITS
for last in range(BITS - 1, 0, -1):
    for low in range(last):
        print("not", low + 1)
        print("toffoli", low, low + 1, wire)
        print("not", low + 1)
        print("fredkin", wire, low, low + 1)
        wire += 1
print("out", *range(BITS))
