"""Plays every position that can come about and compares the move with the best ones by perfect play."""

import random
from functools import cache

from harness import Candidate, Limits, Verifier, Wrong, python

NEEDED, UNITS, CELLS = 0.93, 500, 9
LINES = [(0, 1, 2), (3, 4, 5), (6, 7, 8), (0, 3, 6), (1, 4, 7), (2, 5, 8), (0, 4, 8), (2, 4, 6)]
NUMBERS = {str(number): number for number in range(-99, 100)}
INDICES = {str(number): number for number in range(CELLS + UNITS)}
Board = tuple[int, ...]
Node = tuple[int, list[tuple[int, int]]]


class Verify(Verifier):
    build = python("network.py")
    limits = Limits(seconds=5, memory_mb=512, output_mb=1)

    def score(self, candidate: Candidate, rng: random.Random) -> float:
        candidate.build(self.build)
        output = candidate.run(self.build, b"", self.limits).decode("ascii", "replace")
        units, cells = network(output.splitlines())
        candidate.note("format")
        best = {board: good for board in positions() if len(good := best_moves(board)) < board.count(0)}
        right = sum(move(units, cells, board) in good for board, good in best.items())
        if right < NEEDED * len(best):
            raise Wrong(f"chooses a best move in {right / len(best):.1%} of the positions; {NEEDED:.0%} are needed")
        candidate.note("correct", f"a best move in {right / len(best):.1%}")
        return float(max(1, sum(len(reads) + (bias != 0) for bias, reads in [*units, *cells.values()])))


def network(lines: list[str]) -> tuple[list[Node], dict[int, Node]]:
    """Hidden units in their order, and outputs by cell. Raises Wrong for what is not of the format."""
    units: list[Node] = []
    cells: dict[int, Node] = {}
    for at, line in enumerate(lines, 1):
        kind, *words = line.partition("#")[0].split() or [""]
        cell = INDICES.get(words.pop(0), CELLS) if kind == "cell" and words else -1
        pairs = [
            (INDICES.get(i, CELLS + UNITS), NUMBERS.get(w)) for i, _, w in (word.partition(":") for word in words[1:])
        ]
        if kind == "":
            continue
        if kind not in ("unit", "cell") or cell >= CELLS or cell in cells or not words or words[0] not in NUMBERS:
            raise Wrong(f"line {at} is neither a unit nor the output of a cell", "format")
        if any(i >= CELLS + len(units) or w is None for i, w in pairs) or len(units) == UNITS:
            raise Wrong(
                f"line {at} reads what is not there, or has a weight that is no number from -99 to 99", "format"
            )
        node = NUMBERS[words[0]], pairs
        if kind == "unit":
            units.append(node)
        else:
            cells[cell] = node
    return units, cells


def move(units: list[Node], cells: dict[int, Node], board: Board) -> int:
    """The empty cell with the highest output."""
    values = list(board)
    for bias, reads in units:
        values.append(max(0, bias + sum([values[i] * w for i, w in reads])))
    outputs = {cell: bias + sum([values[i] * w for i, w in reads]) for cell, (bias, reads) in cells.items()}
    return max((cell for cell in range(CELLS) if not board[cell]), key=lambda cell: (outputs.get(cell, 0), -cell))


def after(board: Board, cell: int) -> Board:
    """The board as the other player sees it after a move."""
    return tuple(-1 if at == cell else -value for at, value in enumerate(board))


@cache
def value(board: Board) -> int:
    """1, 0 or -1: what the player to move gets by perfect play."""
    if any(board[a] == board[b] == board[c] == -1 for a, b, c in LINES):
        return -1
    return max((-value(after(board, cell)) for cell in range(CELLS) if not board[cell]), default=0)


def best_moves(board: Board) -> set[int]:
    """Moves that keep the position's value."""
    return {cell for cell in range(CELLS) if not board[cell] and -value(after(board, cell)) == value(board)}


def positions() -> set[Board]:
    """All that can come about with a move to make."""
    found, waiting = set(), [(0,) * CELLS]
    while waiting:
        board = waiting.pop()
        over = any(board[a] == board[b] == board[c] == -1 for a, b, c in LINES)
        if board not in found and not over and 0 in board:
            found.add(board)
            waiting += [after(board, cell) for cell in range(CELLS) if not board[cell]]
    return found
