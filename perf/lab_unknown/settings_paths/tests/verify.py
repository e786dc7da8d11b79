"""A document drawn anew; what is printed is compared with what Python's own reader makes of it."""

import random

from harness import Counted, Wrong, rust

BYTES = 40_000
WORDS = [
    "server", "client", "port", "host", "name", "path", "limit", "colour",
    "level", "queue", "retry", "cache", "owner", "label", "zone",
]  # fmt: skip


class Verify(Counted):
    build = rust("paths.rs")

    def draw(self, rng: random.Random) -> dict[str, str]:
        members, lines, size = [], [], 0
        while size < BYTES:
            key = f"{rng.choice(WORDS)}{''.join(rng.choices('abcdefghij', k=4))}"
            if any(line.startswith((f"{key} ", f"{key}.", f"{key}[")) for line in lines):
                continue
            text = f'"{key}"{space(rng)}:{space(rng)}{value(rng, key, 1, lines)}'
            members.append(text)
            size += len(text)
        document = "{" + f",{space(rng)}".join(members) + "}\n"
        return {"document": document, "lines": "\n".join(sorted(lines)) + "\n"}

    def encode(self, inputs: dict[str, str]) -> bytes:
        return inputs["document"].encode()

    def check(self, inputs: dict[str, str], output: bytes) -> None:
        if output != inputs["lines"].encode():
            raise Wrong("not the paths and values of the document")

    def floor(self, inputs: dict[str, str]) -> float:
        return len(inputs["document"]) / 4


def space(rng: random.Random) -> str:
    return rng.choice(("", "", " ", " ", "\n", "  "))


def value(rng: random.Random, path: str, depth: int, lines: list[str]) -> str:
    """A value's text; the lines that it gives are added to ``lines``."""
    kind = rng.random()
    if depth < 6 and kind < 0.22:
        keys = rng.sample(WORDS, rng.randint(1, 5))
        members = [f'"{key}"{space(rng)}:{space(rng)}{value(rng, f"{path}.{key}", depth + 1, lines)}' for key in keys]
        return "{" + space(rng) + f"{space(rng)},{space(rng)}".join(members) + space(rng) + "}"
    if depth < 6 and kind < 0.4:
        items = [value(rng, f"{path}[{index}]", depth + 1, lines) for index in range(rng.randint(1, 6))]
        return "[" + space(rng) + f"{space(rng)},{space(rng)}".join(items) + space(rng) + "]"
    if kind < 0.7:
        text = '"' + "".join(rng.choices(["e", "n", "i", "s", "r", " ", "T", '\\"'], k=rng.randint(3, 30))) + '"'
    elif kind < 0.9:
        text = str(rng.randint(-9_999, 99_999))
    else:
        text = rng.choice(("true", "false", "null"))
    lines.append(f"{path} = {text}")
    return text
