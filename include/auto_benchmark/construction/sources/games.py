"""Games that are solved to the end: heaps, takings, noughts and crosses; what perfect play gives is the key."""

from __future__ import annotations

import re
from functools import cache
from random import Random

from auto_benchmark.construction.dressing import scene
from auto_benchmark.construction.item import Answer, Asked, Evidence, Params
from auto_benchmark.construction.source import Between, Card, Form, OneOf, Source

LINES = ((0, 1, 2), (3, 4, 5), (6, 7, 8), (0, 3, 6), (1, 4, 7), (2, 5, 8), (0, 4, 8), (2, 4, 6))
FREE = "."
ALL = 2**9 - 1


# heaps: whoever takes the last one wins (Bouton 1901)


def _draw_heaps(random: Random, params: Params) -> Evidence:
    heaps = [random.randint(1, int(params["most"])) for _ in range(int(params["heaps"]))]
    if random.random() < 0.25:  # a heap that makes the position lost
        heaps[-1] = _sum_of(heaps[:-1]) or heaps[-1]
    return {**scene(random), "heaps": heaps, "misere": params["last"] == "loses"}


def _sum_of(heaps: list[int]) -> int:
    found = 0
    for heap in heaps:
        found ^= heap
    return found


def _ask_heaps(e: Evidence) -> Asked:
    return Asked(
        f"In the {e['place']} two players take turns at heaps of {e['thing']}. A player takes any number from a single "
        f"heap, and has to take something. Who takes the last of all {'loses' if e['misere'] else 'wins'}. The {e['trade']} "
        "begins: how many different first moves win, whatever the other does?",
        f"heaps: {', '.join(map(str, e['heaps']))}",
    )


def _heaps(e: Evidence) -> Answer:
    """By Bouton's sum, and for the game in which the last one loses by its exception for heaps of one."""
    return sum(
        _is_lost([*e["heaps"][:i], rest, *e["heaps"][i + 1 :]], e["misere"])
        for i, heap in enumerate(e["heaps"]) for rest in range(heap)
    )  # fmt: skip


def _is_lost(heaps: list[int], misere: bool) -> bool:
    if misere and max(heaps) <= 1:
        return sum(heaps) % 2 == 1
    return _sum_of(heaps) == 0


def _heaps_again(_: Evidence, asked: Asked) -> Answer:
    """Every game from the heaps in the text, to its end."""
    heaps = tuple(map(int, re.findall(r"\d+", asked.context)))
    misere = "the last of all loses" in asked.question

    @cache
    def wins(position: tuple[int, ...]) -> bool:
        if not any(position):
            return misere
        return any(not wins(after) for after in _after(position))

    return sum(not wins(after) for after in _moves(heaps))


def _moves(position: tuple[int, ...]) -> list[tuple[int, ...]]:
    return [tuple(sorted((*position[:i], rest, *position[i + 1 :])))
            for i, heap in enumerate(position) for rest in range(heap)]  # fmt: skip


def _after(position: tuple[int, ...]) -> set[tuple[int, ...]]:
    return set(_moves(position))


# takings: only some numbers may be taken


def _draw_takings(random: Random, params: Params) -> Evidence:
    allowed = sorted(random.sample(range(1, 10), int(params["allowed"])))
    low = max(allowed)
    return {**scene(random), "allowed": allowed, "n": random.randint(low, low + int(params["most"]))}


def _ask_takings(e: Evidence) -> Asked:
    *first, last = map(str, e["allowed"])
    return Asked(
        f"Two players take turns at {e['n']} {e['thing']} in the {e['place']}. Each takes {', '.join(first)} or {last}; who "
        f"cannot any more has lost. Does the {e['trade']}, who begins, win with the best play of both?",
        options=("yes", "no"),
    )


def _takings(e: Evidence) -> Answer:
    """From the empty table upwards."""
    won: list[bool] = []
    for n in range(e["n"] + 1):
        won.append(any(k <= n and not won[n - k] for k in e["allowed"]))
    return "yes" if won[-1] else "no"


def _takings_again(_: Evidence, asked: Asked) -> Answer:
    """From the text's number downwards, by Grundy's numbers (1939)."""
    n = int(re.findall(r"turns at (\d+)", asked.question)[0])
    allowed = [int(k) for k in re.findall(r"\d+", asked.question.partition("Each takes ")[2].partition(";")[0])]

    @cache
    def grundy(left: int) -> int:
        seen = {grundy(left - k) for k in allowed if k <= left}
        return next(i for i in range(len(seen) + 1) if i not in seen)

    return "yes" if grundy(n) else "no"


# noughts and crosses


def _draw_board(random: Random, params: Params) -> Evidence:
    while True:
        board = list(FREE * 9)
        for i, cell in enumerate(random.sample(range(9), int(params["marks"]))):
            board[cell] = "XO"[i % 2]
        text = "".join(board)
        if not any(_has(text, who) for who in "XO"):
            return {**scene(random), "board": text}


def _ask_board(e: Evidence) -> Asked:
    rows = "\n".join(e["board"][i : i + 3] for i in (0, 3, 6))
    return Asked(
        f"The {e['trade']} and a guest play noughts and crosses in the {e['place']} and draw the board among {e['thing']}. "
        f"{_turn(e['board'])} moves next. How does the game end with the best play of both?",
        rows, options=("X wins", "O wins", "draw"),
    )  # fmt: skip


def _turn(board: str) -> str:
    return "X" if board.count("X") == board.count("O") else "O"


def _has(board: str, who: str) -> bool:
    return any(all(board[i] == who for i in line) for line in LINES)


@cache
def _value(board: str) -> int:
    """1 where X wins, -1 where O does, 0 for a draw: the best of all moves, to the end (minimax)."""
    if _has(board, "X") or _has(board, "O"):
        return 1 if _has(board, "X") else -1
    if FREE not in board:
        return 0
    who = _turn(board)
    after = [_value(board[:i] + who + board[i + 1 :]) for i in range(9) if board[i] == FREE]
    return max(after) if who == "X" else min(after)


def _named(value: int) -> Answer:
    return {1: "X wins", -1: "O wins", 0: "draw"}[value]


@cache
def _solved() -> dict[tuple[int, int], int]:
    """Every position as two sets of cells, from the full boards backwards."""
    lines = [sum(1 << i for i in line) for line in LINES]
    found: dict[tuple[int, int], int] = {}
    states = sorted(
        ((x, o) for x in range(ALL + 1) for o in range(ALL + 1)
         if not x & o and x.bit_count() - o.bit_count() in {0, 1}),
        key=lambda state: -(state[0] | state[1]).bit_count(),
    )  # fmt: skip
    for x, o in states:
        won = [any(line & side == line for line in lines) for side in (x, o)]
        if any(won) or x | o == ALL:
            found[x, o] = won[0] - won[1]
            continue
        cells = [1 << i for i in range(9) if not (x | o) >> i & 1]
        turn_of_x = x.bit_count() == o.bit_count()
        after = [found[x | cell, o] if turn_of_x else found[x, o | cell] for cell in cells]
        found[x, o] = max(after) if turn_of_x else min(after)
    return found


def _board_again(_: Evidence, asked: Asked) -> Answer:
    cells = asked.context.replace("\n", "")
    x, o = (sum(1 << i for i, cell in enumerate(cells) if cell == who) for who in "XO")
    return _named(_solved()[x, o])


SOURCE = Source(
    Card(
        name="games",
        title="Solved games",
        modality="text",
        domains=("game", "games", "strategy", "play", "puzzle", "puzzles", "solved"),
        data="heaps, takings, and the 5,478 positions of noughts and crosses; heaps and takings have no end",
        licence="none needed: generated",
        key="Bouton's sum, positions solved upwards, minimax",
        second_key="every game to its end on the position read back from the text, Grundy's numbers, retrograde analysis",
    ),
    (
        Form("heaps", "how many first moves win at heaps", ("nim", "heap", "count", "multi-step"),
             {"heaps": Between(3, 4), "most": Between(7, 12), "last": OneOf(("wins", "loses"))},
             _draw_heaps, _ask_heaps, _heaps, _heaps_again),
        Form("takings", "who wins when only some numbers may be taken", ("subtraction", "taking", "winner"),
             {"allowed": Between(2, 4), "most": Between(30, 90)}, _draw_takings, _ask_takings, _takings, _takings_again),
        Form("crosses", "how noughts and crosses ends", ("noughts", "crosses", "tic-tac-toe", "board", "multi-step"),
             {"marks": Between(4, 6)}, _draw_board, _ask_board, lambda e: _named(_value(e["board"])), _board_again),
    ),
)  # fmt: skip
