"""Prints a reversible circuit that sorts eight bits: Batcher's network of 19 comparators, two gates each.

A comparator of bits a and b needs one wire that holds 0. ``fredkin a b 0`` leaves "b and not a" and "a and b", the smaller
bit; adding a to the first one gives "a or b", the larger bit.
"""

NETWORK = [(0, 1), (2, 3), (4, 5), (6, 7), (0, 2), (1, 3), (4, 6), (5, 7), (1, 2), (5, 6), (0, 4), (1, 5), (2, 6), (3, 7),
           (2, 4), (3, 5), (1, 2), (3, 4), (5, 6)]  # fmt: skip

place = list(range(8))
for wire, (low, high) in enumerate(NETWORK, 8):
    a, b = place[low], place[high]
    print("fredkin", a, b, wire)
    print("cnot", a, b)
    place[low], place[high] = wire, b
print("out", *place)
