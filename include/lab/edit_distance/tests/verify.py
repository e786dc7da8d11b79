"""24 pairs of strings, from unrelated ones to copies with some changes; all of the same length."""

import random

from harness import Counted, Wrong, rust

PAIRS, LENGTH, MOST_CHANGES, MOST_SHIFT, UNRELATED = 24, 500, 200, 150, 6
ALPHABETS = ("ab", "acgt", "abcdefghijklmnopqrstuvwxyz")

Pair = tuple[str, str]


def changed(rng: random.Random, text: str, letters: str) -> str:
    """A copy that begins later, after some changes, cut or filled to the same length: no narrow band holds its path."""
    copy = list(text[rng.randint(0, MOST_SHIFT) :])
    for _ in range(rng.randint(MOST_CHANGES // 10, MOST_CHANGES)):
        at = rng.randrange(len(copy))
        copy[at : at + rng.randint(0, 1)] = rng.choices(letters, k=rng.randint(0, 1))
    return "".join(copy + rng.choices(letters, k=LENGTH))[:LENGTH]


def distance(a: str, b: str) -> int:
    """Myers' algorithm on one integer of as many bits as `a` has letters (Myers 1999; Hyyro 2003)."""
    ones, last = (1 << len(a)) - 1, 1 << (len(a) - 1)
    equal = {letter: sum(1 << at for at, own in enumerate(a) if own == letter) for letter in set(b)}
    up, down, found = ones, 0, len(a)
    for letter in b:
        vertical = equal[letter] | down
        horizontal = (((equal[letter] & up) + up) ^ up) | equal[letter]
        rose, sank = down | (ones & ~(horizontal | up)), up & horizontal
        found += bool(rose & last) - bool(sank & last)
        rose, sank = ((rose << 1) | 1) & ones, (sank << 1) & ones
        up, down = sank | (ones & ~(vertical | rose)), rose & vertical
    return found


class Verify(Counted):
    build = rust("distance.rs")

    def draw(self, rng: random.Random) -> list[Pair]:
        pairs = []
        for number in range(PAIRS):
            letters = ALPHABETS[number % len(ALPHABETS)]
            text = "".join(rng.choices(letters, k=LENGTH))
            other = "".join(rng.choices(letters, k=LENGTH)) if number < UNRELATED else changed(rng, text, letters)
            pairs.append((text, other))
        return rng.sample(pairs, PAIRS)

    def encode(self, inputs: list[Pair]) -> bytes:
        return "".join(f"{a} {b}\n" for a, b in inputs).encode()

    def check(self, inputs: list[Pair], output: bytes) -> None:
        lines = output.decode("ascii").split("\n")
        if len(lines) != PAIRS + 1 or lines[-1]:
            raise Wrong(f"printed {len(lines) - 1} lines instead of {PAIRS}")
        for number, (line, (a, b)) in enumerate(zip(lines[:-1], inputs, strict=True), 1):
            if line != str(distance(a, b)):
                raise Wrong(f"line {number} is wrong")

    def floor(self, inputs: list[Pair]) -> float:
        return 2 * LENGTH * PAIRS + LENGTH * PAIRS  # to read the letters, and one step a column
