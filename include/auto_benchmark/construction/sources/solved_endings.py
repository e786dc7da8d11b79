"""Two arrays over all positions of king and queen, or king and rook, against king: who mates when (Ströhlein 1970).

One array for either side to move, found backwards from the mates with matrices of moves.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Bools = NDArray[np.bool_]
    Distances = NDArray[np.int8]

STEPS = {
    "rook": ((1, 0), (-1, 0), (0, 1), (0, -1)),
    "queen": ((1, 0), (-1, 0), (0, 1), (0, -1), (1, 1), (1, -1), (-1, 1), (-1, -1)),
}
NEVER = 127


@dataclass(frozen=True, slots=True)
class Solved:
    """Moves to mate with best play.

    Attributes:
        piece: White's beside the king.
        white: [white king, piece, black king], White to move; :data:`NEVER` where there is no such position or no mate.
        black: the same with Black to move; 0 is mate.
        kings: [square, square] whether a king steps from one to the other.
        reached: [white king, piece, square] whether the piece reaches the square.
    """

    piece: str
    white: Distances
    black: Distances
    kings: Bools
    reached: Bools

    def white_moves(self, king: int, piece: int, other: int) -> Iterator[tuple[tuple[int, int], int]]:
        """(from, to) of White's moves that lead to mate, and the moves to mate after each."""
        for to in range(64):
            if self.kings[king, to] and self.black[to, piece, other] != NEVER:
                yield (king, to), int(self.black[to, piece, other])
            if self.reached[king, piece, to] and self.black[king, to, other] != NEVER:
                yield (piece, to), int(self.black[king, to, other])

    def black_moves(self, king: int, piece: int, other: int) -> Iterator[tuple[tuple[int, int], int]]:
        """(from, to) of Black's legal moves in a lost position, and the moves to mate after each."""
        for to in range(64):
            if self.kings[other, to] and self.white[king, piece, to] != NEVER:
                yield (other, to), int(self.white[king, piece, to])


@cache
def solved(piece: str) -> Solved:
    """Every position with this piece."""
    import numpy as np

    king = _king_steps()
    reached = _reached(piece)
    squares = np.arange(64)
    wk, x, bk = squares[:, None, None], squares[None, :, None], squares[None, None, :]
    apart = (wk != x) & (x != bk) & (wk != bk) & ~king[:, None, :]
    white_to_move = apart & ~reached
    takes = (x == bk) & (wk != x) & ~king[:, None, :]  # an unprotected piece is taken, which draws
    has_move = (white_to_move | takes).astype("f4") @ king.astype("f4") > 0
    lost = apart & reached & ~has_move
    won = np.zeros_like(lost)
    white, black = np.full(lost.shape, NEVER, "i1"), np.full(lost.shape, NEVER, "i1")
    black[lost] = 0
    for n in range(1, NEVER):
        by_king = (king.astype("f4") @ lost.astype("f4").reshape(64, -1)).reshape(lost.shape) > 0
        by_piece = reached.astype("f4") @ lost.astype("f4") > 0
        new = white_to_move & (by_king | by_piece) & ~won
        if not new.any():
            break
        white[new], won = n, won | new
        escapes = ((white_to_move & ~won) | takes).astype("f4") @ king.astype("f4") > 0
        newly_lost = apart & has_move & ~escapes & ~lost
        black[newly_lost], lost = n, lost | newly_lost
    return Solved(piece, white, black, king, reached)


def _king_steps() -> Bools:
    import numpy as np

    files, ranks = np.arange(64) % 8, np.arange(64) // 8
    far = np.maximum(abs(files[:, None] - files), abs(ranks[:, None] - ranks))
    return np.asarray(far == 1)


def _reached(piece: str) -> Bools:
    """[white king, piece, square]: the white king stands in the way, the black one does not when it is asked for check."""
    import numpy as np

    found = np.zeros((64, 64, 64), bool)
    for at in range(64):
        for file_step, rank_step in STEPS[piece]:
            way, file, rank = list[int](), at % 8 + file_step, at // 8 + rank_step
            while 0 <= file < 8 and 0 <= rank < 8:
                way.append(8 * rank + file)
                file, rank = file + file_step, rank + rank_step
            for i, square in enumerate(way):
                found[:, at, square] = True
                found[way[: i + 1], at, square] = False
    return found
