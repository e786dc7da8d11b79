"""Runs every program on arguments drawn anew and compares with what Python finds."""

import itertools
import math
import operator
import random

from harness import Candidate, Limits, Verifier, Wrong, python

CASES, STEPS, LONGEST, LARGEST = 30, 50_000, 400, 1 << 512
BILLION = 10**9
BINARY = {"+": operator.add, "-": operator.sub, "*": operator.mul, "/": operator.floordiv, "%": operator.mod,
          "<": lambda x, y: int(x < y), "=": lambda x, y: int(x == y)}  # fmt: skip
MOVES = {"dup": (1, (0, 0)), "drop": (1, ()), "swap": (2, (1, 0)), "over": (2, (0, 1, 0)), "rot": (3, (1, 2, 0))}
LITERALS = {str(number): number for number in range(-999, 1000)}


FUNCTIONS = {
    "triangle": ([(0, 1000)], lambda n: n * (n + 1) // 2), "abs": ([(-BILLION, BILLION)], abs),
    "max": ([(-BILLION, BILLION)] * 2, max), "median": ([(-BILLION, BILLION)] * 3, lambda *three: sorted(three)[1]),
    "gcd": ([(0, BILLION)] * 2, math.gcd), "power": ([(-99, 99), (0, 40)], operator.pow),
    "fibonacci": ([(0, 90)], lambda n: sum(math.comb(n - k - 1, k) for k in range((n + 1) // 2))),
    "popcount": ([(0, BILLION)], int.bit_count), "digits": ([(0, BILLION)], lambda n: sum(map(int, str(n)))),
    "root": ([(0, 10**6)], math.isqrt), "prime": ([(2, 2000)], lambda n: int(all(n % d for d in range(2, n)))),
    "collatz": ([(1, 1000)], collatz := lambda n: 0 if n == 1 else 1 + collatz(3 * n + 1 if n % 2 else n // 2)),
}  # fmt: skip


class Verify(Verifier):
    build = python("golf.py")
    limits = Limits(seconds=5, memory_mb=512, output_mb=1)

    def score(self, candidate: Candidate, rng: random.Random) -> float:
        candidate.build(self.build)
        lines = candidate.run(self.build, b"", self.limits).decode("ascii", "replace").splitlines()
        programs = {name: words for name, *words in (line.split() or [""] for line in lines)}
        if programs.keys() != FUNCTIONS.keys() or len(lines) != len(FUNCTIONS):
            raise Wrong("does not print one line for each function", "format")
        ready = {name: (words, loops(name, words)) for name, words in programs.items()}
        candidate.note("format")
        for name, (ranges, right) in FUNCTIONS.items():
            for arguments in cases(name, ranges, rng):
                if run(name, *ready[name], list(arguments)) != [right(*arguments)]:
                    raise Wrong(f"{name} is wrong")
        candidate.note("correct")
        return float(sum(map(len, programs.values())))


def cases(name: str, ranges: list[tuple[int, int]], rng: random.Random) -> list[tuple[int, ...]]:
    """The ends of the ranges, then numbers of every size within them, some of them equal."""
    found = list(itertools.product(*ranges))
    for case in range(CASES):
        reach = round(10 ** rng.uniform(0.3, 9))
        drawn = [rng.randint(max(low, -reach), max(low, min(high, reach))) for low, high in ranges]
        found.append(tuple(drawn[:1] * len(ranges) if case % 5 == 0 and len(set(ranges)) == 1 else drawn))
    return [case for case in found if name != "gcd" or any(case)]


def loops(name: str, words: list[str]) -> dict[int, int]:
    """Where each bracket's partner is. Raises Wrong for what the machine does not know."""
    open_at, partner = [], {}
    for at, word in enumerate(words):
        if word == "[":
            open_at.append(at)
        elif word == "]" and open_at:
            partner[at] = open_at.pop()
            partner[partner[at]] = at
        elif word not in BINARY and word not in MOVES and word not in LITERALS:
            raise Wrong(f"{name}: instruction {at + 1} is unknown or has no partner", "format")
    if open_at or len(words) > LONGEST:
        raise Wrong(f"{name}: a loop is not closed, or there are more than {LONGEST} instructions", "format")
    return partner


def run(name: str, words: list[str], partner: dict[int, int], stack: list[int]) -> list[int]:
    """The stack after a run. Raises Wrong at a fault."""
    at = -1
    for _ in range(STEPS):
        if (at := at + 1) >= len(words):
            return stack
        takes, gives = MOVES.get(word := words[at], (2 if word in BINARY else int(word == "["), ()))
        if takes > len(stack):
            raise Wrong(f"{name}: takes from an empty stack")
        taken = [stack.pop() for _ in range(takes)][::-1]
        stack += [taken[index] for index in gives]
        if word in LITERALS:
            stack.append(LITERALS[word])
        elif word == "]" or (word == "[" and not taken[0]):
            at = partner[at] - (word == "]")
        elif word in BINARY:
            if word in "/%" and not taken[1]:
                raise Wrong(f"{name}: divides by 0")
            stack.append(BINARY[word](*taken))
            if not -LARGEST < stack[-1] < LARGEST:
                raise Wrong(f"{name}: a number is too large")
    raise Wrong(f"{name}: takes more than {STEPS} steps")
