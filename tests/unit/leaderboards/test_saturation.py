"""A board with nothing left to win, one that has, and one of which nobody can say."""

import pytest

from auto_benchmark.leaderboards.saturation import SaturationState, saturation, within_noise
from auto_benchmark.registry.leaderboard import Leaderboard
from auto_benchmark.tables.entry import Entry


def board(**more) -> Leaderboard:
    return Leaderboard(
        name="B", scrape_method="manual", primary_metric="accuracy",
        **{"higher_is_better": True, "items": 1000, **more},
    )  # fmt: skip


def entries(*scores: float) -> list[Entry]:
    return [Entry(rank=None, system=f"S{i}", score=score) for i, score in enumerate(scores)]


CLOSE = (0.800, 0.799, 0.798, 0.797, 0.796)


@pytest.mark.parametrize(
    ("declared", "scores", "fruitless", "expected"),
    [
        ({}, (0.998, 0.90), 0, SaturationState.SATURATED),
        ({}, (1.0,), 0, SaturationState.SATURATED),
        ({"items": 100_000}, (0.998, 0.90), 0, SaturationState.OPEN),
        ({}, (0.95, 0.90), 0, SaturationState.OPEN),
        ({"saturation": {"key_errors": 0.04}}, (0.95, 0.90), 0, SaturationState.SATURATED),
        ({}, (99.8, 90.0), 0, SaturationState.SATURATED),
        ({"unit": "percent"}, (0.998, 0.90), 0, SaturationState.OPEN),
        ({"higher_is_better": False}, (0.002, 0.1), 0, SaturationState.SATURATED),
        ({"higher_is_better": False}, (0.05, 0.1), 0, SaturationState.OPEN),
        ({}, CLOSE, 5, SaturationState.SATURATED),
        ({}, CLOSE, 4, SaturationState.OPEN),
        ({"saturation": {"submissions": 9}}, CLOSE, 8, SaturationState.OPEN),
        ({}, (*CLOSE[:4], 0.70), 50, SaturationState.OPEN),
        ({}, CLOSE[:4], 50, SaturationState.OPEN),
        ({"items": None}, (0.998, 0.90), 50, SaturationState.UNKNOWN),
        ({}, (), 50, SaturationState.UNKNOWN),
        ({}, (-3.0, -4.0), 0, SaturationState.UNKNOWN),
        ({}, (1540.0, 1500.0), 0, SaturationState.UNKNOWN),
    ],
)  # fmt: skip
def test_a_board_is_judged_by_its_items(declared, scores, fruitless, expected):
    found = saturation(board(**declared), entries(*scores), fruitless)
    assert found.state is expected, found.reason


def test_the_reason_gives_the_numbers():
    found = saturation(board(), entries(0.998, 0.9), 0)
    assert found.headroom == pytest.approx(0.002)
    assert found.smallest == pytest.approx(0.0039, abs=1e-4)
    assert found.reason == "0.002 is missing to the best possible score; its 1000 items show 0.0039 at least"


def test_a_gain_is_one_that_the_items_can_show():
    assert within_noise(board(), 0.800, 0.801)
    assert not within_noise(board(), 0.800, 0.900)
    assert not within_noise(board(items=None), 0.800, 0.801)
