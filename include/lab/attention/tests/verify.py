"""One head of attention on 512 rows; some queries are so large that their scores overflow exp."""

import math
import random
import sys
from array import array
from operator import mul
from typing import NamedTuple

from harness import Counted, Wrong, c

ROWS, WIDTH = 512, 32
SPREAD = math.sqrt(2)  # of queries and keys: scores then have a standard deviation of 2, and about ten keys matter
LARGE, LARGER = 0.125, 30.0  # share of queries that are larger, and how much
LARGEST_ERROR = 1e-3

Matrix = list[list[float]]


class Head(NamedTuple):
    q: Matrix
    k: Matrix
    v: Matrix


def numbers(packed: bytes) -> Matrix:
    """Rows of 32-bit floats."""
    flat = array("f")
    flat.frombytes(packed)
    if sys.byteorder == "big":
        flat.byteswap()
    return [list(flat[at : at + WIDTH]) for at in range(0, len(flat), WIDTH)]


def packed(matrix: Matrix) -> bytes:
    flat = array("f", (x for row in matrix for x in row))
    if sys.byteorder == "big":
        flat.byteswap()
    return flat.tobytes()


def attention(head: Head) -> Matrix:
    result = []
    columns = list(zip(*head.v, strict=True))
    for query in head.q:
        scores = [sum(map(mul, query, key)) / math.sqrt(WIDTH) for key in head.k]
        most = max(scores)
        weights = [math.exp(score - most) for score in scores]
        total = math.fsum(weights)
        result.append([sum(map(mul, weights, column)) / total for column in columns])
    return result


class Verify(Counted):
    build = c("attention.c", flags=("-static",))
    caches = True

    def draw(self, rng: random.Random) -> Head:
        def matrix(spread: float) -> Matrix:
            return [[rng.gauss(0, spread) for _ in range(WIDTH)] for _ in range(ROWS)]

        q, k, v = matrix(SPREAD), matrix(SPREAD), matrix(1)
        for row in rng.sample(range(ROWS), int(LARGE * ROWS)):
            q[row] = [LARGER * x for x in q[row]]
        return Head(*(numbers(packed(part)) for part in (q, k, v)))  # rounded as the program sees them

    def encode(self, inputs: Head) -> bytes:
        return b"".join(map(packed, inputs))

    def check(self, inputs: Head, output: bytes) -> None:
        if len(output) != 4 * ROWS * WIDTH:
            raise Wrong(f"wrote {len(output)} bytes instead of {4 * ROWS * WIDTH}")
        for number, (got, right) in enumerate(zip(numbers(output), attention(inputs), strict=True)):
            if not all(abs(x - y) <= LARGEST_ERROR for x, y in zip(got, right, strict=True)):  # NaN is not either
                raise Wrong(f"row {number} is wrong by more than {LARGEST_ERROR}")

    def floor(self, inputs: Head) -> float:
        return ROWS * ROWS * WIDTH / 16  # every score, 16 products an instruction
