"""Endings of chess that are solved: the move that mates fastest, that holds out longest, and how many moves it takes."""

from __future__ import annotations

from random import Random
from typing import Any

from auto_benchmark.construction.item import Answer, Asked, Evidence, Params
from auto_benchmark.construction.source import Between, Card, Form, OneOf, Parameter, Source
from auto_benchmark.construction.sources.endings_again import (
    LINES,
    Position,
    after_black,
    after_white,
    canonical,
    distances,
)
from auto_benchmark.construction.sources.solved_endings import NEVER, solved

LETTERS = {"queen": "Q", "rook": "R"}
FARTHEST = {"queen": 10, "rook": 16}
"""Moves to mate in the longest ending of each kind."""
CLOSENESS = 4
"""Moves between the nearest and the farthest mate of one description."""
ANSWER_AS = (
    "Both sides play their best; White sees the board so, a1 at the lower left. "
    "Answer with the squares it leaves and reaches, such as e2e4."
)


def _square(index: int) -> str:
    return f"{'abcdefgh'[index % 8]}{index // 8 + 1}"


def _distance(random: Random, params: Params, piece: str) -> int:
    """Of a mate at least so far away, and not much farther."""
    near = min(int(params["moves"]), FARTHEST[piece] - 1)
    return random.randint(near, min(near + CLOSENESS - 1, FARTHEST[piece] - 1))


def _position(random: Random, piece: str, distance: int, *, white: bool) -> tuple[int, int, int]:
    table = solved(piece).white if white else solved(piece).black
    while True:
        place = random.randrange(64), random.randrange(64), random.randrange(64)
        if table[place] == distance:
            return place


def _draw_mate(random: Random, params: Params) -> Evidence:
    """A position with exactly one fastest move."""
    piece = str(params["piece"])
    while True:
        distance = _distance(random, params, piece)
        place = _position(random, piece, distance, white=True)
        best = [move for move, after in solved(piece).white_moves(*place) if after == distance - 1]
        if len(best) == 1:
            return {"piece": piece, "place": list(place), "move": list(best[0])}


def _draw_defence(random: Random, params: Params) -> Evidence:
    """A lost position with a choice of moves, one of which holds out longest."""
    piece = str(params["piece"])
    while True:
        distance = _distance(random, params, piece)
        place = _position(random, piece, distance, white=False)
        moves = list(solved(piece).black_moves(*place))
        best = [move for move, after in moves if after == distance]
        if len(best) == 1 and len(moves) > 1:
            return {"piece": piece, "place": list(place), "move": list(best[0])}


def _draw_distance(random: Random, params: Params) -> Evidence:
    piece = str(params["piece"])
    distance = _distance(random, params, piece)
    return {
        "piece": piece,
        "place": list(_position(random, piece, distance, white=True)),
        "distance": distance,
    }


def _board(e: Evidence) -> str:
    """Ranks from the eighth to the first, a dot for every empty square."""
    shown = dict(zip(e["place"], ("K", LETTERS[e["piece"]], "k"), strict=True))
    return "\n".join(" ".join(shown.get(8 * rank + file, ".") for file in range(8)) for rank in range(7, -1, -1))


def _ask_mate(e: Evidence) -> Asked:
    return Asked(f"White (capitals) is to move. Which move mates fastest? {ANSWER_AS}", _board(e))


def _ask_defence(e: Evidence) -> Asked:
    return Asked(f"Black (k) is to move and lost. Which move holds out longest? {ANSWER_AS}", _board(e))


def _ask_distance(e: Evidence) -> Asked:
    return Asked("White (capitals) is to move. In how many moves does White mate with best play?", _board(e))


def _key(e: Evidence) -> Answer:
    return "".join(map(_square, e["move"]))


def _seen(asked: Asked) -> tuple[str, Position]:
    """Piece and position from the drawn board. Raises KeyError or ValueError where it shows no such ending."""
    found: dict[str, tuple[int, int]] = {}
    for row, line in enumerate(asked.context.split("\n")):
        for file, sign in enumerate(line.split()):
            if sign != ".":
                found[sign] = (file, 7 - row)
    piece = next(name for name in LINES if LETTERS[name] in found)
    return piece, (found["K"], found[LETTERS[piece]], found["k"])


def _written(move: tuple[tuple[int, int], tuple[int, int]]) -> str:
    return "".join(f"{'abcdefgh'[file]}{rank + 1}" for file, rank in move)


def _mate_again(_: Evidence, asked: Asked) -> Answer:
    piece, position = _seen(asked)
    known = distances(piece)
    after = [(known.get((False, canonical(to)), NEVER), move) for move, to in after_white(piece, position)]
    return _only(min(after)[0], after)


def _defence_again(_: Evidence, asked: Asked) -> Answer:
    piece, position = _seen(asked)
    known = distances(piece)
    after = [(NEVER if to is None else known.get((True, canonical(to)), NEVER), move)
             for move, to in after_black(piece, position)]  # fmt: skip
    return _only(max(after)[0], after)


def _only(best: int, after: list[tuple[int, Any]]) -> Answer:
    moves = [move for distance, move in after if distance == best]
    if len(moves) != 1 or best == NEVER:
        raise ValueError(f"{len(moves)} moves are best")
    return _written(moves[0])


def _distance_again(_: Evidence, asked: Asked) -> Answer:
    piece, position = _seen(asked)
    return distances(piece)[True, canonical(position)]


_PARAMETERS: dict[str, Parameter] = {"moves": Between(1, 12), "piece": OneOf(("queen", "rook"))}
SOURCE = Source(
    Card(
        name="chess_endings",
        title="Solved endings of chess",
        modality="text",
        domains=("chess", "endgame"),
        data="every position of king and queen, or king and rook, against king: about 220,000 each with White to move",
        licence="as this project",
        key="distance to mate in every position, computed backwards from the mates",
        second_key="the drawn board read back and solved on a graph of moves with rules of its own",
    ),
    (
        Form("mate", "the one move that mates fastest", ("mate", "attack", "puzzle", "winning"),
             _PARAMETERS, _draw_mate, _ask_mate, _key, _mate_again),
        Form("defence", "the one move that holds out longest", ("defence", "defend", "losing"),
             _PARAMETERS, _draw_defence, _ask_defence, _key, _defence_again),
        Form("distance", "in how many moves White mates", ("distance", "depth", "count"),
             _PARAMETERS, _draw_distance, _ask_distance, lambda e: int(e["distance"]), _distance_again),
    ),
)  # fmt: skip
