"""Small changes of program text in any language with braces, or Python: of tokens, and of whole lines.

Each takes a text, the file's name and a source of chance, and returns the changed text, or None where it finds nothing.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Mapping

from auto_benchmark.lab.offline.tokens import Token, closing_bracket, joined, literal, tokens

Mutation = Callable[[str, str, random.Random], str | None]
FAMILIES = (
    ("<", "<=", ">", ">=", "==", "!="), ("+", "-", "*", "/", "%"), ("<<", ">>", "&", "|", "^"),
    ("+=", "-=", "*=", "/=", "="), ("&&", "||"), ("++", "--"),
)  # fmt: skip
"""Operators that may stand for each other."""
LEAVE = ("break", "continue", "return")


def other_operator(text: str, file: str, rng: random.Random) -> str | None:
    """Another operator of the same family."""
    parts = tokens(text, file)
    places = [
        (i, family) for i, t in enumerate(parts) if t.kind == "operator" for family in FAMILIES if t.text in family
    ]
    if not places:
        return None
    i, family = rng.choice(places)
    parts[i] = Token("operator", rng.choice([each for each in family if each != parts[i].text]))
    return joined(parts)


def other_number(text: str, file: str, rng: random.Random) -> str | None:
    """A number near to one that stands there, in steps or in scale."""
    parts = tokens(text, file)
    places = [(i, found) for i, t in enumerate(parts) if (found := literal(t)) is not None]
    if not places:
        return None
    i, found = rng.choice(places)
    x = found.value
    near = [x + 1, max(0.0, x - 1), 2 * x, x / 2, 4 * x, x / 4, 0.0, 1.0]
    values = [found.spelled(value) for value in near if found.spelled(value) != parts[i].text]
    parts[i] = Token("number", rng.choice(values))
    return joined(parts)


def other_name(text: str, file: str, rng: random.Random) -> str | None:
    """A name of the program in the place of another one."""
    parts = tokens(text, file)
    places = [i for i, t in enumerate(parts) if t.kind == "name"]
    names = sorted({parts[i].text for i in places})
    if len(names) < 2:
        return None
    i = rng.choice(places)
    parts[i] = Token("name", rng.choice([name for name in names if name != parts[i].text]))
    return joined(parts)


def without_call(text: str, file: str, rng: random.Random) -> str | None:
    """A method's call left out: ``x.clone()`` becomes ``x``."""
    parts = tokens(text, file)
    found = [
        (i, end)
        for i in range(len(parts) - 2)
        if parts[i].text == "." and parts[i + 1].kind == "name" and parts[i + 2].text == "("
        and (end := closing_bracket(parts, i + 2)) is not None
    ]  # fmt: skip
    if not found:
        return None
    start, end = rng.choice(found)
    return joined([*parts[:start], *parts[end + 1 :]])


def without_operand(text: str, file: str, rng: random.Random) -> str | None:
    """One side of a binary operator left out: ``a + b`` becomes ``a`` or ``b``."""
    parts = tokens(text, file)
    solid = [i for i, t in enumerate(parts) if t.kind not in {"space", "comment"}]
    places = [
        at for at in range(1, len(solid) - 1)
        if parts[solid[at]].kind == "operator"
        and all(parts[solid[at + side]].kind in {"name", "number"} for side in (-1, 1))
    ]  # fmt: skip
    if not places:
        return None
    at = rng.choice(places)
    start, end = (solid[at], solid[at + 1] + 1) if rng.random() < 0.5 else (solid[at - 1], solid[at + 1])
    return joined([*parts[:start], *parts[end:]])


def other_argument(text: str, file: str, rng: random.Random) -> str | None:
    """What stands in one pair of round or square brackets in the place of what stands in another."""
    parts = tokens(text, file)
    opened = [i for i, token in enumerate(parts) if token.text in {"(", "["}]
    spans = [(i, end) for i in opened if (end := closing_bracket(parts, i)) is not None]
    if len(spans) < 2:
        return None
    (start, end), (other, other_end) = rng.sample(spans, 2)
    return joined([*parts[: start + 1], *parts[other + 1 : other_end], *parts[end:]])


def without_lines(text: str, file: str, rng: random.Random) -> str | None:
    """A line, or a line with all that is indented below it, left out."""
    lines = text.splitlines(keepends=True)
    if len(lines) < 2:
        return None
    start = rng.randrange(len(lines))
    end = _block_end(lines, start) if rng.random() < 0.5 else start + 1
    return "".join(lines[:start] + lines[end:])


def moved_lines(text: str, file: str, rng: random.Random) -> str | None:
    """A line or block put elsewhere, indented as its new neighbours are."""
    lines = text.splitlines(keepends=True)
    if len(lines) < 3:
        return None
    start = rng.randrange(len(lines))
    end = _block_end(lines, start) if rng.random() < 0.5 else start + 1
    block, rest = lines[start:end], lines[:start] + lines[end:]
    at = max(0, min(len(rest), start + rng.choice([-3, -2, -1, 1, 2, 3])))
    return _inserted(rest, at, block)


def copied_line(text: str, file: str, rng: random.Random) -> str | None:
    """A line of the program a second time, elsewhere."""
    lines = text.splitlines(keepends=True)
    if not lines:
        return None
    return _inserted(lines, rng.randrange(len(lines) + 1), [rng.choice(lines)])


def left_early(text: str, file: str, rng: random.Random) -> str | None:
    """A ``break``, ``continue`` or ``return`` behind some line."""
    lines = text.splitlines(keepends=True)
    if not lines:
        return None
    end = "\n" if file.endswith(".py") else ";\n"
    return _inserted(lines, rng.randrange(len(lines) + 1), [rng.choice(LEAVE) + end])


MUTATIONS: Mapping[str, Mutation] = {
    each.__name__: each
    for each in (
        other_operator, other_number, other_name, without_call, without_operand, other_argument, without_lines,
        moved_lines, copied_line, left_early,
    )
}  # fmt: skip


def _indent(line: str) -> int:
    return len(line) - len(line.lstrip())


def _block_end(lines: list[str], start: int) -> int:
    end = start + 1
    while end < len(lines) and (not lines[end].strip() or _indent(lines[end]) > _indent(lines[start])):
        end += 1
    if end < len(lines) and end > start + 1 and lines[end].strip().startswith("}"):
        end += 1
    return end


def _inserted(lines: list[str], at: int, block: list[str]) -> str:
    """A block between lines, indented as the line before it, or as the one behind it."""
    neighbour = next((line for line in (*lines[at : at + 1], *lines[at - 1 : at]) if line.strip()), "")
    shift = neighbour[: _indent(neighbour)]
    own = _indent(block[0])
    moved = [shift + line[min(own, _indent(line)) :] if line.strip() else line for line in block]
    return "".join([*lines[:at], *moved, *lines[at:]])
