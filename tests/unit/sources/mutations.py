"""Damaged documents, and what must hold for whatever is still read out of them."""

from __future__ import annotations

import html
import random
import re
from collections.abc import Callable, Iterator

from auto_benchmark.tables.entry import ParsedBoard

NUMBER = re.compile(rb"\d+(?:[.,]\d+)*|[.,]\d+")
TAG = re.compile(rb"<[^<>]*>")


def truncate(data: bytes, rng: random.Random) -> bytes:
    return data[: rng.randrange(len(data) + 1)]


def drop_tags(data: bytes, rng: random.Random) -> bytes:
    share = rng.random() * 0.3
    return TAG.sub(lambda m: b"" if rng.random() < share else m.group(), data)


def swap_cells(data: bytes, rng: random.Random) -> bytes:
    pieces = re.split(rb"([|,\t\n]|</t[dh]>)", data)
    for _ in range(rng.randint(1, 12)):
        i, j = (rng.randrange(0, len(pieces), 2) for _ in range(2))
        pieces[i], pieces[j] = pieces[j], pieces[i]
    return b"".join(pieces)


def random_bytes(data: bytes, rng: random.Random) -> bytes:
    damaged = bytearray(data)
    for _ in range(rng.randint(1, 1 + len(damaged) // 200)):
        damaged[rng.randrange(len(damaged))] = rng.randrange(256)
    return bytes(damaged)


def drop_lines(data: bytes, rng: random.Random) -> bytes:
    lines = data.split(b"\n")
    share = rng.random() * 0.5
    return b"\n".join(line for line in lines if rng.random() >= share)


def repeat_part(data: bytes, rng: random.Random) -> bytes:
    start = rng.randrange(len(data))
    part = data[start : start + rng.randint(1, 4000)]
    return data[:start] + part * rng.randint(2, 6) + data[start:]


def cut_out(data: bytes, rng: random.Random) -> bytes:
    start = rng.randrange(len(data))
    return data[:start] + data[start + rng.randint(1, 1 + len(data) // 5) :]


def nest(data: bytes, rng: random.Random) -> bytes:
    depth = rng.randint(10, 4000)
    opening = rng.choice([b"[", b"{", b"<div>", b"<table>", b"(", b'{"a":', b"- ", b"> "])
    where = rng.randrange(len(data))
    return data[:where] + opening * depth + data[where:]


MUTATORS: list[Callable[[bytes, random.Random], bytes]] = [
    truncate,
    drop_tags,
    swap_cells,
    random_bytes,
    drop_lines,
    repeat_part,
    cut_out,
    nest,
]


def mutate(data: bytes, rng: random.Random) -> bytes:
    """One to three damages, one after the other."""
    for _ in range(rng.choice([1, 1, 1, 2, 3])):
        data = rng.choice(MUTATORS)(data, rng) or b" "
    return data


def views(page: bytes) -> Iterator[bytes]:
    """The page as bytes, and as a reader may see it: without tags, entities, marks or the delimiter."""
    yield page
    text = html.unescape(page.decode("utf-8", "replace")).encode()
    yield TAG.sub(b"", text)
    yield TAG.sub(b" ", text)
    yield re.sub(rb"[*_`\\]", b"", text)
    yield text.replace(b",", b" ")


def numbers_in(text: bytes) -> set[float]:
    """Every number of a text, in both readings of a comma."""
    found: set[float] = set()
    for token in set(NUMBER.findall(text)):
        for reading in (token.replace(b",", b""), token.replace(b".", b"").replace(b",", b".")):
            if reading.count(b".") <= 1 and len(reading) < 40:
                found.add(float(reading))
    return found


def invented(board: ParsedBoard, page: bytes) -> list[str]:
    """Entries whose score the page does not show in any view, not even as mantissa of a number with an exponent."""
    missing = {abs(e.score): e.system for e in board.entries if e.score is not None}
    shown: set[float] = set()
    for view in views(page):
        shown |= numbers_in(view)
        missing = {score: system for score, system in missing.items() if score not in shown}
        if not missing:
            return []
    return [f"{system}: {score}" for score, system in missing.items() if not _mantissa(score, shown)]


def _mantissa(score: float, shown: set[float]) -> bool:
    """Equal but for a power of ten, to the twelve digits that a converted unit keeps (``11.49889821316073K``)."""
    return any(abs(score / (m * 10.0**e) - 1) < 1e-11 for m in shown if m for e in range(-12, 13))
