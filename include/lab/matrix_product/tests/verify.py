"""Products of matrices of 256 x 256 integers, checked by Freivalds' test: A(Bx) = Cx for a random x that nobody knows."""

import random
import sys
from array import array
from operator import mul
from typing import NamedTuple

from harness import Counted, Wrong, c

SIZE, LARGEST = 256, 1_000
CHECK_BITS = 64  # a wrong product passes with a probability of 2^-64 (Freivalds 1977)

Matrix = list[list[int]]


class Factors(NamedTuple):
    a: Matrix
    b: Matrix
    x: list[int]


def numbers(packed: bytes) -> Matrix:
    """Rows of 32-bit integers."""
    flat = array("i")
    flat.frombytes(packed)
    if sys.byteorder == "big":
        flat.byteswap()
    return [list(flat[at : at + SIZE]) for at in range(0, len(flat), SIZE)]


def packed(matrix: Matrix) -> bytes:
    flat = array("i", (x for row in matrix for x in row))
    if sys.byteorder == "big":
        flat.byteswap()
    return flat.tobytes()


def times(matrix: Matrix, x: list[int]) -> list[int]:
    return [sum(map(mul, row, x)) for row in matrix]


class Verify(Counted):
    build = c("product.c", flags=("-static",))
    caches = True

    def draw(self, rng: random.Random) -> Factors:
        def matrix() -> Matrix:
            return [[rng.randint(-LARGEST, LARGEST) for _ in range(SIZE)] for _ in range(SIZE)]

        return Factors(matrix(), matrix(), [rng.getrandbits(CHECK_BITS) for _ in range(SIZE)])

    def encode(self, inputs: Factors) -> bytes:
        return packed(inputs.a) + packed(inputs.b)

    def check(self, inputs: Factors, output: bytes) -> None:
        if len(output) != 4 * SIZE * SIZE:
            raise Wrong(f"wrote {len(output)} bytes instead of {4 * SIZE * SIZE}")
        right = times(inputs.a, times(inputs.b, inputs.x))
        for number, (got, wanted) in enumerate(zip(times(numbers(output), inputs.x), right, strict=True)):
            if got != wanted:
                raise Wrong(f"row {number} is wrong")

    def floor(self, inputs: Factors) -> float:
        return SIZE**2.8 / 32  # Strassen's number of products, 32 an instruction
