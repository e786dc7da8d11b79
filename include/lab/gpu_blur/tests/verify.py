"""A picture blurred by the same weights in both directions; sums of floats are exact in any order."""

import random
import sys
from array import array
from typing import NamedTuple

from harness import Kernel, Limits, Wrong, cuda

N, REACH = 512, 5
LARGEST_WEIGHT, LARGEST = 9, 255  # (11 * 9) ** 2 * 255 < 2 ** 24
SECTOR = 32

Rows = list[list[int]]


class Picture(NamedTuple):
    weights: list[int]
    points: Rows


def packed(numbers: list[int]) -> bytes:
    flat = array("f", numbers)
    if sys.byteorder == "big":
        flat.byteswap()
    return flat.tobytes()


def numbers_of(output: bytes) -> list[float]:
    flat = array("f")
    flat.frombytes(output)
    if sys.byteorder == "big":
        flat.byteswap()
    return list(flat)


def along_rows(rows: Rows, weights: list[int]) -> Rows:
    told = []
    for row in rows:
        wide = [row[0]] * REACH + row + [row[-1]] * REACH
        told.append(
            [sum(w * x for w, x in zip(weights, wide[at : at + 2 * REACH + 1], strict=True)) for at in range(N)]
        )
    return told


def turned(rows: Rows) -> Rows:
    return [list(column) for column in zip(*rows, strict=True)]


class Verify(Kernel):
    build = cuda("blur.cu")
    limits = Limits(seconds=10)
    output_bytes = 4 * N * N

    def draw(self, rng: random.Random) -> Picture:
        weights = [rng.randint(1, LARGEST_WEIGHT) for _ in range(2 * REACH + 1)]
        return Picture(weights, [[rng.randint(0, LARGEST) for _ in range(N)] for _ in range(N)])

    def encode(self, inputs: Picture) -> bytes:
        return packed([*inputs.weights, *(x for row in inputs.points for x in row)])

    def check(self, inputs: Picture, output: bytes) -> None:
        if len(output) != self.output_bytes:
            raise Wrong(f"wrote {len(output)} bytes instead of {self.output_bytes}")
        right = turned(along_rows(turned(along_rows(inputs.points, inputs.weights)), inputs.weights))
        for at, (got, wanted) in enumerate(zip(numbers_of(output), (x for row in right for x in row), strict=True)):
            if got != wanted:  # NaN is not equal to anything
                raise Wrong(f"the point in row {at // N}, column {at % N} is wrong")

    def floor(self, inputs: Picture) -> float:
        return 10 * (len(self.encode(inputs)) + self.output_bytes) / SECTOR  # everything read and written once
