"""Both ways to the solved endings, against each other and against what is known of them."""

import random

import pytest

from auto_benchmark.construction.sources.endings_again import canonical, distances
from auto_benchmark.construction.sources.solved_endings import NEVER, solved


@pytest.mark.parametrize(("piece", "longest"), [("queen", 10), ("rook", 16)])
def test_the_longest_mates_are_the_known_ones(piece, longest):
    white = solved(piece).white
    assert white[white != NEVER].max() == longest


@pytest.mark.parametrize("piece", ["queen", "rook"])
def test_two_ways_agree_on_positions_of_every_kind(piece):
    table, known = solved(piece), distances(piece)
    draw = random.Random(4)
    unlike = []
    for _ in range(20_000):
        place = king, at, other = draw.randrange(64), draw.randrange(64), draw.randrange(64)
        if len(set(place)) < 3:
            assert table.white[place] == table.black[place] == NEVER
            continue
        position = canonical(tuple((square % 8, square // 8) for square in place))
        ours = int(table.white[place]), int(table.black[place])
        if ours != (known.get((True, position), NEVER), known.get((False, position), NEVER)):
            unlike.append((king, at, other))
    assert unlike == []
