"""Lines of numbers drawn anew; what is printed for each must rise, come from it in its order, and be as long as possible."""

import bisect
import itertools
import random

from harness import Counted, Wrong, go

LINES, NUMBERS, LARGEST = 100, 800, 1_000_000


class Verify(Counted):
    build = go("rise.go")

    def draw(self, rng: random.Random) -> list[list[int]]:
        return [[rng.randint(0, LARGEST) for _ in range(NUMBERS)] for _ in range(LINES)]

    def encode(self, inputs: list[list[int]]) -> bytes:
        return "".join(f"{' '.join(map(str, numbers))}\n" for numbers in inputs).encode()

    def check(self, inputs: list[list[int]], output: bytes) -> None:
        rises = [[int(word) for word in line.split()] for line in output.splitlines()]
        if len(rises) != LINES:
            raise Wrong("not one line for each line of the input")
        for numbers, rise in zip(inputs, rises, strict=True):
            if any(first >= second for first, second in itertools.pairwise(rise)):
                raise Wrong("the numbers do not rise")
            left = iter(numbers)
            if not all(number in left for number in rise):
                raise Wrong("not a subsequence of the input")
            if len(rise) != longest(numbers):
                raise Wrong("not as long as possible")

    def floor(self, inputs: list[list[int]]) -> float:
        return len(self.encode(inputs)) / 4


def longest(numbers: list[int]) -> int:
    ends: list[int] = []
    for number in numbers:
        at = bisect.bisect_left(ends, number)
        ends[at : at + 1] = [number]
    return len(ends)
