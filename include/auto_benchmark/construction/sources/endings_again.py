"""The second way to the endings: positions as a graph of rules written anew, solved from the mates outwards.

Nothing is shared with the first way: pieces walk square by square, positions that turn or mirror into each other are one,
and the distance spreads along edges instead of through matrices.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator
from functools import cache

Square = tuple[int, int]
Position = tuple[Square, Square, Square]
"""White king, piece, black king; file and rank from 0."""
AROUND = tuple((a, b) for a in (-1, 0, 1) for b in (-1, 0, 1) if a or b)
LINES = {"rook": tuple(s for s in AROUND if 0 in s), "queen": AROUND}
Distances = dict[tuple[bool, Position], int]


def _inside(square: Square) -> bool:
    return 0 <= square[0] <= 7 and 0 <= square[1] <= 7


def _next_to(a: Square, b: Square) -> bool:
    return abs(a[0] - b[0]) <= 1 and abs(a[1] - b[1]) <= 1


def _walk(piece: str, at: Square, king: Square) -> Iterator[Square]:
    for right, up in LINES[piece]:
        square = (at[0] + right, at[1] + up)
        while _inside(square) and square != king:
            yield square
            square = (square[0] + right, square[1] + up)


def _attacks(piece: str, at: Square, king: Square, target: Square) -> bool:
    return target in _walk(piece, at, king)


def after_white(piece: str, position: Position) -> Iterator[tuple[tuple[Square, Square], Position]]:
    """Each legal move of White and the position it leads to."""
    king, at, other = position
    for right, up in AROUND:
        to = (king[0] + right, king[1] + up)
        if _inside(to) and to != at and not _next_to(to, other):
            yield (king, to), (to, at, other)
    for to in _walk(piece, at, king):
        if to != other:
            yield (at, to), (king, to, other)


def after_black(piece: str, position: Position) -> Iterator[tuple[tuple[Square, Square], Position | None]]:
    """Each legal move of Black and the position it leads to; None where it takes the piece."""
    king, at, other = position
    for right, up in AROUND:
        to = (other[0] + right, other[1] + up)
        if not _inside(to) or _next_to(to, king):
            continue
        if to == at:
            yield (other, to), None
        elif not _attacks(piece, at, king, to):
            yield (other, to), (king, at, to)


def canonical(position: Position) -> Position:
    """Of eight positions that turn or mirror into each other the one with the black king near a1, below the diagonal."""
    turned = position
    if turned[2][0] > 3:
        turned = tuple((7 - f, r) for f, r in turned)  # type: ignore[assignment]
    if turned[2][1] > 3:
        turned = tuple((f, 7 - r) for f, r in turned)  # type: ignore[assignment]
    swapped: Position = tuple((r, f) for f, r in turned)  # type: ignore[assignment]
    return min(turned, swapped, key=lambda p: (p[2][1] > p[2][0], p))


@cache
def distances(piece: str) -> Distances:
    """(White to move, canonical position) -> moves to mate, of every position in which White mates."""
    found: Distances = {}
    before: dict[tuple[bool, Position], list[tuple[bool, Position]]] = {}
    escapes: dict[Position, int] = {}
    waiting = deque[tuple[bool, Position]]()
    for position in _positions():
        check = _attacks(piece, position[1], position[0], position[2])
        if not check:
            for _, to in after_white(piece, position):
                before.setdefault((False, canonical(to)), []).append((True, position))
        replies = [to for _, to in after_black(piece, position)]
        escapes[position] = len(replies)
        for reply in replies:
            if reply is not None:
                before.setdefault((True, canonical(reply)), []).append((False, position))
        if check and not replies:
            found[False, position] = 0
            waiting.append((False, position))
    while waiting:
        white, position = waiting.popleft()
        distance = found[white, position]
        for earlier in before.get((white, position), ()):
            if earlier in found:
                continue
            if not white:
                found[earlier] = distance + 1
                waiting.append(earlier)
                continue
            escapes[earlier[1]] -= 1
            if not escapes[earlier[1]]:
                found[earlier] = distance
                waiting.append(earlier)
    return found


def _positions() -> Iterator[Position]:
    every = [(f, r) for f in range(8) for r in range(8)]
    for other in ((f, r) for f in range(4) for r in range(f + 1)):
        for king in every:
            if not _next_to(king, other):
                for at in every:
                    if at not in {king, other} and canonical((king, at, other)) == (king, at, other):
                        yield king, at, other
