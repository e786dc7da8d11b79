"""The product of two matrices of whole numbers, small enough that a sum of floats is exact in any order."""

import random
import sys
from array import array
from operator import mul
from typing import NamedTuple

from harness import Kernel, Limits, Wrong, cuda

N, LARGEST = 512, 150  # 512 * 150 * 150 < 2 ** 24
SECTOR = 32

Rows = list[list[int]]


class Factors(NamedTuple):
    a: Rows
    b: Rows
    weights: list[int]


def packed(rows: Rows) -> bytes:
    flat = array("f", (x for row in rows for x in row))
    if sys.byteorder == "big":
        flat.byteswap()
    return flat.tobytes()


def rows_of(output: bytes) -> list[list[float]]:
    flat = array("f")
    flat.frombytes(output)
    if sys.byteorder == "big":
        flat.byteswap()
    return [list(flat[at : at + N]) for at in range(0, len(flat), N)]


def times(rows: Rows, column: list[int]) -> list[int]:
    return [sum(map(mul, row, column)) for row in rows]


class Verify(Kernel):
    build = cuda("product.cu")
    limits = Limits(seconds=10)
    output_bytes = 4 * N * N

    def draw(self, rng: random.Random) -> Factors:
        def matrix() -> Rows:
            return [[rng.randint(-LARGEST, LARGEST) for _ in range(N)] for _ in range(N)]

        return Factors(matrix(), matrix(), [rng.getrandbits(61) for _ in range(N)])

    def encode(self, inputs: Factors) -> bytes:
        return packed(inputs.a) + packed(inputs.b)

    def check(self, inputs: Factors, output: bytes) -> None:
        """Each row in C w = A (B w) with secret weights w (Freivalds 1977): a wrong row fits once in 2 ** 61."""
        if len(output) != self.output_bytes:
            raise Wrong(f"wrote {len(output)} bytes instead of {self.output_bytes}")
        right = times(inputs.a, times(inputs.b, inputs.weights))
        for number, (row, sum_) in enumerate(zip(rows_of(output), right, strict=True)):
            if not all(x.is_integer() for x in row):  # neither NaN nor infinity is
                raise Wrong(f"row {number} holds what is no whole number")
            if sum(map(mul, map(int, row), inputs.weights)) != sum_:
                raise Wrong(f"row {number} is wrong")

    def floor(self, inputs: Factors) -> float:
        return 10 * (len(self.encode(inputs)) + self.output_bytes) / SECTOR  # everything read and written once
