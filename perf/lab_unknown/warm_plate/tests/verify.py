"""A plate drawn anew; every temperature is compared with that of a relaxation to nine digits."""

import math
import random

from harness import Counted, Wrong, c

SIZE, HEATED, TOLERANCE = 28, 5, 0.02
BASELINE = 300_000_000

Plate = dict[str, list[list[float]]]


class Verify(Counted):
    build = c("plate.c")
    relative_to = BASELINE

    def draw(self, rng: random.Random) -> Plate:
        edges = []
        for _ in range(4):
            first, last = rng.uniform(0, 100), rng.uniform(0, 100)
            edges.append([round(first + (last - first) * i / SIZE, 2) for i in range(SIZE)])
        cells = rng.sample([(row, column) for row in range(2, SIZE - 2) for column in range(2, SIZE - 2)], HEATED)
        return {"edges": edges, "heated": [[*cell, round(rng.uniform(0, 100), 2)] for cell in cells]}

    def encode(self, inputs: Plate) -> bytes:
        lines = [[SIZE], *inputs["edges"], [number for cell in inputs["heated"] for number in cell]]
        return "".join(" ".join(map(str, line)) + "\n" for line in lines).encode()

    def check(self, inputs: Plate, output: bytes) -> None:
        rows = [[float(cell) for cell in line.split()] for line in output.splitlines()]
        if [len(row) for row in rows] != [SIZE] * SIZE:
            raise Wrong("not 28 rows of 28 temperatures")
        for printed, right in zip(rows, relaxed(inputs), strict=True):
            for one, other in zip(printed, right, strict=True):
                if not (math.isfinite(one) and abs(one - other) <= TOLERANCE):
                    raise Wrong("a temperature is not that of the steady state")

    def floor(self, inputs: Plate) -> float:
        return SIZE * SIZE * 4


def relaxed(inputs: Plate) -> list[list[float]]:
    top, bottom, left, right = inputs["edges"]
    plate = [[50.0] * SIZE for _ in range(SIZE)]
    plate[0], plate[-1] = top[:], bottom[:]
    for row in range(1, SIZE - 1):
        plate[row][0], plate[row][-1] = left[row], right[row]
    known = {(int(row), int(column)) for row, column, _ in inputs["heated"]}
    for row, column, temperature in inputs["heated"]:
        plate[int(row)][int(column)] = temperature
    free = [
        (row, column) for row in range(1, SIZE - 1) for column in range(1, SIZE - 1) if (row, column) not in known
    ]
    factor, largest = 2 / (1 + math.sin(math.pi / (SIZE - 1))), 1.0
    while largest > 1e-9:
        largest = 0.0
        for row, column in free:
            around = plate[row - 1][column] + plate[row + 1][column] + plate[row][column - 1] + plate[row][column + 1]
            change = factor * (around / 4 - plate[row][column])
            plate[row][column] += change
            largest = max(largest, abs(change))
    return plate
