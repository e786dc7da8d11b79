"""100,000 records with keys of 32 bits, of which one in ten repeats a key of a small pool, so that stability shows."""

import random
import struct

from harness import Counted, Wrong, cpp

RECORDS, POOL, REPEATS = 100_000, 1_000, 0.1

Record = tuple[int, int]


class Verify(Counted):
    build = cpp("sort.cpp", flags=("-static",))
    caches = True

    def draw(self, rng: random.Random) -> list[Record]:
        repeated = int(REPEATS * RECORDS)
        pool = [rng.getrandbits(32) for _ in range(POOL)]
        keys = [rng.choice(pool) for _ in range(repeated)] + [rng.getrandbits(32) for _ in range(RECORDS - repeated)]
        rng.shuffle(keys)
        return [(key, rng.getrandbits(32)) for key in keys]

    def encode(self, inputs: list[Record]) -> bytes:
        return b"".join(struct.pack("<II", *record) for record in inputs)

    def check(self, inputs: list[Record], output: bytes) -> None:
        right = self.encode(sorted(inputs, key=lambda record: record[0]))
        if len(output) != len(right):
            raise Wrong(f"wrote {len(output)} bytes instead of {len(right)}")
        if output != right:
            at = next(at for at, (x, y) in enumerate(zip(output, right, strict=True)) if x != y)
            raise Wrong(f"record {at // 8} is wrong")

    def floor(self, inputs: list[Record]) -> float:
        return 4.0 * len(inputs)  # each record is read and written twice
