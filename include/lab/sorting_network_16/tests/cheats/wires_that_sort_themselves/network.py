"""Wires -1 and -2."""

for last in range(15, 0, -1):
    for wire in range(last):
        print(wire, wire + 1)
print(-2, -1)
