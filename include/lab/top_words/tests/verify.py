"""Texts of 10,000 words with Zipf's frequencies; the words themselves are drawn anew."""

import random
from collections import Counter
from itertools import accumulate

from harness import Counted, Wrong, c

WORDS, DIFFERENT, SHOWN = 10_000, 1_500, 20
LETTERS = "abcdefghijklmnopqrstuvwxyz"


class Verify(Counted):
    build = c("top_words.c")
    relative_to = (
        179_724_414  # the given program's search costs 8 % more or less, as frequent words fall in the alphabet
    )

    def draw(self, rng: random.Random) -> list[str]:
        words = list({"".join(rng.choices(LETTERS, k=rng.randint(2, 15))) for _ in range(2 * DIFFERENT)})
        words = rng.sample(sorted(words), DIFFERENT)
        weights = list(accumulate(1 / rank for rank in range(1, DIFFERENT + 1)))
        return rng.choices(words, cum_weights=weights, k=WORDS)

    def encode(self, inputs: list[str]) -> bytes:
        return "\n".join(" ".join(inputs[at : at + 12]) for at in range(0, len(inputs), 12)).encode() + b"\n"

    def check(self, inputs: list[str], output: bytes) -> None:
        right = sorted(Counter(inputs).items(), key=lambda item: (-item[1], item[0]))[:SHOWN]
        lines = output.decode("ascii").splitlines()
        if len(lines) != SHOWN:
            raise Wrong(f"printed {len(lines)} lines instead of {SHOWN}")
        for number, (line, (word, count)) in enumerate(zip(lines, right, strict=True), 1):
            if line != f"{word} {count}":
                raise Wrong(f"line {number} is wrong")

    def floor(self, inputs: list[str]) -> float:
        return len(self.encode(inputs)) / 4  # 32 bytes an instruction, and eight to tell words apart
