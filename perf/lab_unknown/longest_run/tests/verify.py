"""Lines of letters; the longest stretch of each without a repeated letter."""

from harness import Counted, Wrong, c

LINES, LENGTH = 120, 80


def longest(line):
    start, last, best = 0, {}, 0
    for at, letter in enumerate(line):
        start = max(start, last.get(letter, -1) + 1)
        last[letter] = at
        best = max(best, at + 1 - start)
    return best


class Verify(Counted):
    build = c("runs.c")

    def draw(self, rng):
        return ["".join(rng.choices("abcdefghijklmnopqrstuvwxyz", k=LENGTH)) for _ in range(LINES)]

    def encode(self, inputs):
        return "".join(f"{line}\n" for line in inputs).encode()

    def check(self, inputs, output):
        if [int(word) for word in output.split()] != [longest(line) for line in inputs]:
            raise Wrong("not the longest stretches")

    def floor(self, inputs):
        return LINES * LENGTH / 4
