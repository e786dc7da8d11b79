"""A board's history as a market: the line between its unit and that of our trials, and who stands there on a day."""

from __future__ import annotations

import pytest
from perf.market import Market, mapping

MARKET = Market("b", starts=(0, 10, 20), scores=((60.0, 50.0, 40.0), (80.0, 50.0, 40.0), (70.0, 50.0)), days=30)


@pytest.mark.parametrize(("day", "best"), [(0, 60.0), (9, 60.0), (10, 80.0), (19, 80.0), (29, 70.0)])
def test_the_last_snapshot_stands(day, best):
    assert MARKET.on(day)[0] == best


@pytest.mark.parametrize(("until", "top"), [(1.0, 80.0), (0.1, 60.0)])
def test_we_start_at_the_median_and_our_best_is_the_best_leader_until_then(until, top):
    line = mapping(MARKET, start=0.5, best=0.7, until=until)
    assert line.in_ours(50.0) == pytest.approx(0.5)
    assert line.in_ours(top) == pytest.approx(0.7)


def test_times_count_down_and_are_turned_before():
    line = mapping(Market("t", (0,), ((-3.0, -4.0, -5.0),), 10), start=0.5, best=0.7, until=1.0)
    assert line.in_ours(-3.5) == pytest.approx(0.6)
