"""Prints a sorting network for sixteen inputs: bubble sort."""

WIRES = 16

for last in range(WIRES - 1, 0, -1):
    for wire in range(last):
        print(wire, wire + 1)
