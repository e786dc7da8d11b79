"""Runs the circuit on all inputs at once: bit n of a wire's number is what the wire holds for input n."""

import random

from harness import Candidate, Limits, Verifier, Wrong, python

BITS, WIRES, MOST = 8, 64, 1_000
ALL = (1 << (1 << BITS)) - 1
SIZES = {"not": 1, "cnot": 2, "toffoli": 3, "fredkin": 3, "out": BITS}
NUMBERS = {str(number): number for number in range(WIRES)}


class Verify(Verifier):
    build = python("circuit.py")
    limits = Limits(seconds=5, memory_mb=512, output_mb=1)

    def score(self, candidate: Candidate, rng: random.Random) -> float:
        candidate.build(self.build)
        lines = candidate.run(self.build, b"", self.limits).decode("ascii", "replace").splitlines()
        if len(lines) > MOST:
            raise Wrong(f"printed more than {MOST} lines", "format")
        gates = [gate(number, line.split()) for number, line in enumerate(lines, 1)]
        if [name for name, _ in gates].count("out") != 1 or gates[-1][0] != "out":
            raise Wrong("the last line, and no other one, has to be `out`", "format")
        candidate.note("format")
        if sorted_bits(gates) != [
            sum(1 << n for n in range(1 << BITS) if n.bit_count() >= BITS - at) for at in range(BITS)
        ]:
            raise Wrong("does not sort every input")
        candidate.note("correct")
        return float(len(gates) - 1)


def gate(number: int, words: list[str]) -> tuple[str, list[int]]:
    name, *wires = words or [""]
    if SIZES.get(name) != len(wires) or len(set(wires)) != len(wires) or not all(wire in NUMBERS for wire in wires):
        raise Wrong(f"line {number} is not a gate on different wires below {WIRES}", "format")
    return name, [NUMBERS[wire] for wire in wires]


def sorted_bits(gates: list[tuple[str, list[int]]]) -> list[int]:
    """What the wires of `out` hold, for all inputs."""
    wires = [sum(1 << n for n in range(1 << BITS) if n >> wire & 1) if wire < BITS else 0 for wire in range(WIRES)]
    for name, at in gates:
        if name == "not":
            wires[at[0]] ^= ALL
        elif name == "cnot":
            wires[at[1]] ^= wires[at[0]]
        elif name == "toffoli":
            wires[at[2]] ^= wires[at[0]] & wires[at[1]]
        elif name == "fredkin":
            change = wires[at[0]] & (wires[at[1]] ^ wires[at[2]])
            wires[at[1]], wires[at[2]] = wires[at[1]] ^ change, wires[at[2]] ^ change
    return [wires[wire] for wire in gates[-1][1]]
