"""Tools, a biased log of theirs and new requests; the decisions are judged by the true probabilities, not by chance."""

import math
import random

from harness import Candidate, Limits, Verifier, Wrong, python

TOOLS, KINDS, NUMBERS, LOGGED, NEW = 8, 6, 4, 4_000, 2_000


class Tool:
    def __init__(self, rng: random.Random) -> None:
        self.kinds = [rng.gauss(0.3, 1.4) for _ in range(KINDS)]
        self.slopes = [rng.gauss(0, 1.4) for _ in range(NUMBERS)]
        self.bend, self.cut = rng.choice([-2, 2]), rng.uniform(-0.5, 0.5)
        self.one, self.other = rng.sample(range(NUMBERS), 2)
        self.odd = rng.sample(range(KINDS), 2)
        self.price = rng.uniform(0.05, 0.3)
        self.taste, self.habit = rng.uniform(1, 3), rng.gauss(0, 1)

    def solves(self, kind: int, x: list[float]) -> float:
        """Probability that it solves a request."""
        z = self.kinds[kind] + sum(s * v for s, v in zip(self.slopes, x))
        z += self.bend * (x[self.one] > self.cut) + 2 * self.bend * x[self.one] * x[self.other] * (kind in self.odd)
        return 1 / (1 + math.exp(-z))

    def costs(self, x: list[float]) -> float:
        return self.price * (1 + 0.8 * x[3])

    def utility(self, kind: int, x: list[float]) -> float:
        return self.solves(kind, x) - self.costs(x)


class Verify(Verifier):
    build = python("route.py")
    limits = Limits(seconds=10, memory_mb=512, output_mb=1)

    def score(self, candidate: Candidate, rng: random.Random) -> float:
        candidate.build(self.build)
        key = rng.getrandbits(64)
        # What a program sees must not tell the state of the generator that draws what it does not see.
        shown, hidden = random.Random(f"{key} shown"), random.Random(f"{key} hidden")
        tools = [Tool(hidden) for _ in range(TOOLS)]
        lines = [f"log {LOGGED}"]
        for _ in range(LOGGED):
            kind, x = request(shown)
            easy = sum(tool.solves(kind, x) for tool in tools) / TOOLS
            tool = shown.choices(
                range(TOOLS),
                [
                    math.exp(t.habit + t.taste * (easy - 0.5) * (1 if at % 2 else -1) * 3)
                    for at, t in enumerate(tools)
                ],
            )[0]
            solved, cost = (
                hidden.random() < tools[tool].solves(kind, x),
                tools[tool].costs(x) * shown.uniform(0.9, 1.1),
            )
            lines.append(f"{told(kind, x)} {tool} {int(solved)} {cost:.3f}")
        requests = [request(shown) for _ in range(NEW)]
        lines += [f"new {NEW}", *(told(kind, x) for kind, x in requests)]
        given = ("\n".join(lines) + "\n").encode()
        said = candidate.run(self.build, given, self.limits).decode("ascii", "replace").split("\n")
        if len(said) != NEW + 1 or said.pop() or not set(said) <= set(map(str, range(TOOLS))):
            raise Wrong(f"does not print {NEW} lines with the number of a tool each", "format")
        candidate.note("format")
        lost = [
            max(values := [tool.utility(kind, x) for tool in tools]) - values[int(at)]
            for (kind, x), at in zip(requests, said)
        ]
        return max(1e-6, math.fsum(lost) / NEW)


def request(rng: random.Random) -> tuple[int, list[float]]:
    return rng.randrange(KINDS), [round(rng.uniform(-1, 1), 3) for _ in range(NUMBERS)]


def told(kind: int, x: list[float]) -> str:
    return " ".join([str(kind), *(f"{value:.3f}" for value in x)])
