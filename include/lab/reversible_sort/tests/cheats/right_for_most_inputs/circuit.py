"""Eighteen of Batcher's nineteen comparators."""

NETWORK = [
    (0, 1),
    (2, 3),
    (4, 5),
    (6, 7),
    (0, 2),
    (1, 3),
    (4, 6),
    (5, 7),
    (1, 2),
    (5, 6),
    (0, 4),
    (1, 5),
    (2, 6),
    (3, 7),
]
place = list(range(8))
for wire, (low, high) in enumerate([*NETWORK, (2, 4), (3, 5), (1, 2), (3, 4)], 8):
    a, b = place[low], place[high]
    print("fredkin", a, b, wire)
    print("cnot", a, b)
    place[low], place[high] = wire, b
print("out", *place)
