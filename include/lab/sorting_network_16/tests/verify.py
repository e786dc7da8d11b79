"""A network sorts everything when it sorts every input of zeros and ones (Knuth, volume 3, theorem Z, 5.3.4)."""

import random

from harness import Candidate, Limits, Verifier, Wrong, python

WIRES, MOST = 16, 1_000


class Verify(Verifier):
    build = python("network.py")
    limits = Limits(seconds=5, output_mb=1)

    def score(self, candidate: Candidate, rng: random.Random) -> float:
        candidate.build(self.build)
        lines = candidate.run(self.build, b"", self.limits).decode("ascii", "replace").splitlines()
        if len(lines) > MOST:
            raise Wrong(f"printed more than {MOST} lines", "format")
        network = [comparator(number, line) for number, line in enumerate(lines, 1)]
        candidate.note("format")
        if not sorts(network):
            raise Wrong("does not sort every input")
        candidate.note("correct")
        return float(len(network))


def comparator(number: int, line: str) -> tuple[int, int]:
    try:
        low, high = map(int, line.split())
    except ValueError:
        raise Wrong(f"line {number} is not two numbers", "format") from None
    if not 0 <= low < high < WIRES:
        raise Wrong(f"line {number} is not a comparator of wires i < j", "format")
    return low, high


def sorts(network: list[tuple[int, int]]) -> bool:
    """All 2^16 inputs at once: bit n of wires[w] is bit w of n."""
    inputs = range(1 << WIRES)
    wires = [sum(1 << n for n in inputs if n >> wire & 1) for wire in range(WIRES)]
    for low, high in network:
        wires[low], wires[high] = wires[low] & wires[high], wires[low] | wires[high]
    return all(not wires[wire] & ~wires[wire + 1] for wire in range(WIRES - 1))
