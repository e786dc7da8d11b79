"""20 random expressions, each with 20 texts: half match, half did until some letters were replaced."""

import random
from functools import reduce

from harness import Counted, Wrong, rust

GROUPS, TEXTS, SHORTEST, SIZES, LETTERS = 20, 20, 60, range(15, 41), "abcd"
Node = tuple  # a letter or dot alone, or a kind and the nodes that it holds
Group = tuple[Node, list[str]]


def expression(rng: random.Random, depth: int) -> Node:
    if depth == 0 or rng.random() < 0.1:
        return (rng.choice(3 * LETTERS + "."),)
    kind = rng.choice("&&&||*+?")
    return (kind, *(expression(rng, depth - 1) for _ in range(rng.randint(2, 3) if kind in "&|" else 1)))


def text_of(node: Node) -> str:
    inner = node[0].strip("&*+?").join(map(text_of, node[1:]))
    return node[0] if len(node) == 1 else inner if node[0] == "&" else f"({inner}){node[0].strip('|')}"


def sample(rng: random.Random, node: Node) -> str:
    kind, *parts = node
    if not parts or kind == "|":
        return sample(rng, rng.choice(parts)) if parts else rng.choice(LETTERS) if kind == "." else kind
    times = {"&": 1, "?": rng.randint(0, 1), "*": rng.randint(0, 3), "+": rng.randint(1, 3)}[kind]
    return "".join(sample(rng, part) for _ in range(times) for part in parts)


def drawn(rng: random.Random, node: Node, mistyped: float) -> str:
    _, (_, repeated), *parts = node
    text, end = "", "".join(sample(rng, part) for part in parts)
    while len(text + end) < SHORTEST:
        text += sample(rng, repeated)
    return "".join(rng.choice(LETTERS) if rng.random() < mistyped else letter for letter in text + end)


def ends(node: Node, starts: int, where: dict[str, int]) -> int:
    """Where parts of a text can end that begin at ``starts``: sets of places are bits of an integer."""
    kind, *parts = node
    if not parts:
        return (starts & where[kind]) << 1
    if kind == "|":
        return reduce(int.__or__, (ends(part, starts, where) for part in parts))
    found = reduce(lambda places, part: ends(part, places, where), parts, starts)
    further = found if kind in "*+" else 0
    while further:
        found |= (further := ends(parts[0], further, where) & ~found)
    return found | starts if kind in "*?" else found


def digit(node: Node, text: str) -> str:
    where = {letter: sum(1 << at for at, own in enumerate(text) if letter in (own, ".")) for letter in LETTERS + "."}
    return "01"[ends(node, 1, where) >> len(text) & 1]


class Verify(Counted):
    build = rust("matches.rs")

    def draw(self, rng: random.Random) -> list[Group]:
        groups: list[Group] = []
        while len(groups) < GROUPS:
            node = ("&", ("*", expression(rng, 4)), expression(rng, 3), expression(rng, 3))
            if sum(map(text_of(node).count, LETTERS + ".")) in SIZES:
                groups.append((node, [drawn(rng, node, rng.choice((0, 0.1))) for _ in range(TEXTS)]))
        return groups

    def encode(self, inputs: list[Group]) -> bytes:
        return "".join("\n".join((text_of(node), *texts)) + "\n" for node, texts in inputs).encode()

    def check(self, inputs: list[Group], output: bytes) -> None:
        right = ["".join(digit(node, text) for text in texts) + "\n" for node, texts in inputs]
        if output.decode("ascii") != "".join(right):
            raise Wrong("it is wrong about some texts")

    def floor(self, inputs: list[Group]) -> float:
        return len(self.encode(inputs)) / 2
