"""Clears wires, which no reversible gate can."""

for wire in range(8):
    print("toffoli", wire, wire, wire)
print("out", *range(8))
