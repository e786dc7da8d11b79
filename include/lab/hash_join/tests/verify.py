"""Tables of 30,000 and 150,000 rows; some keys stand in R twice, and half of the rows of S have a partner;
the keys of others differ from one of R in one bit."""

import random
import struct
from collections import defaultdict
from typing import NamedTuple

from harness import Counted, Wrong, cpp

ROWS_R, ROWS_S, TWICE, NEARLY = 30_000, 150_000, 3_000, 10_000

Row = tuple[int, int]


class Tables(NamedTuple):
    r: list[Row]
    s: list[Row]


def packed(rows: list[Row]) -> bytes:
    return struct.pack(f"<{2 * len(rows)}I", *(number for row in rows for number in row))


class Verify(Counted):
    build = cpp("join.cpp", flags=("-static",))
    caches = True

    def draw(self, rng: random.Random) -> Tables:
        keys = rng.sample(range(1 << 32), ROWS_R - TWICE)
        keys[0] = rng.choice((0, (1 << 32) - 1, keys[0]))  # those that a program might take for an empty slot
        r_keys = rng.sample(keys + keys[:TWICE], ROWS_R)
        s_keys = [rng.choice(keys) if rng.random() < 0.5 else rng.getrandbits(32) for _ in range(ROWS_S)]
        for at in rng.sample(range(ROWS_S), NEARLY):
            s_keys[at] = rng.choice(keys) ^ 1 << rng.randrange(32)
        s_keys[rng.randrange(ROWS_S)] = keys[0]
        return Tables([(key, rng.getrandbits(32)) for key in r_keys], [(key, rng.getrandbits(32)) for key in s_keys])

    def encode(self, inputs: Tables) -> bytes:
        return packed(inputs.r) + packed(inputs.s)

    def check(self, inputs: Tables, output: bytes) -> None:
        values: defaultdict[int, list[int]] = defaultdict(list)
        for key, value in inputs.r:
            values[key].append(value)
        right = packed([(of_r, of_s) for key, of_s in inputs.s for of_r in values.get(key, ())])
        if len(output) != len(right):
            raise Wrong(f"wrote {len(output)} bytes, which is not the size of the join")
        if output != right:
            at = next(at for at, (x, y) in enumerate(zip(output, right, strict=True)) if x != y)
            raise Wrong(f"pair {at // 8} is wrong")

    def floor(self, inputs: Tables) -> float:
        return 3.0 * (ROWS_R + ROWS_S)  # each row is read, placed or looked up
