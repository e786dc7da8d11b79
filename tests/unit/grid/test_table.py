"""Aggregation over tasks and seeds."""

import math
import statistics

import pytest

from auto_benchmark.grid.table import long_frame, rankings

A, B = [0.80, 0.82, 0.84], [0.90, 0.90, 0.93]


def test_one_task_gives_one_ranking_with_every_figure(sweep):
    spec, outcomes = sweep({"baseline": {"t": A}, "b": {"t": B}, "never": {"t": [None] * 3}})
    (ranking,) = rankings(spec, outcomes)
    assert [(r.rank, r.name) for r in ranking.rows] == [(1, "b"), (2, "baseline"), (None, "never")]
    row = ranking.row("baseline")
    assert row.primary.mean == pytest.approx(0.82)
    assert row.primary.sd == pytest.approx(statistics.stdev(A))
    assert (row.primary.low, row.primary.high, row.primary.seeds) == (0.80, 0.84, 3)
    half = 4.302652730 * statistics.stdev(A) / math.sqrt(3)
    assert row.interval == pytest.approx((0.82 - half, 0.82 + half))
    assert row.secondary["ms"].mean == 11.0
    assert row.is_unstable
    assert (ranking.row("never").failed, ranking.row("never").primary) == (3, None)


def test_ties_share_a_rank_and_lower_may_be_better(sweep):
    spec, outcomes = sweep({"baseline": {"t": A}, "same": {"t": A}, "c": {"t": B}}, higher=False)
    (ranking,) = rankings(spec, outcomes)
    assert [(r.rank, r.name) for r in ranking.rows] == [(1, "baseline"), (1, "same"), (3, "c")]


def test_macro_and_micro_weigh_tasks_differently(sweep):
    scores = {"baseline": {"small": [0.0, 0.2], "large": [1.0, 0.6]}}
    sizes = {"small": 10, "large": 90}
    spec, outcomes = sweep(scores, items=sizes)
    overall, small, large = rankings(spec, outcomes)
    assert overall.row("baseline").scores == {0: pytest.approx(0.5), 1: pytest.approx(0.4)}
    assert [r.title for r in (small, large)] == ["small/gate", "large/gate"]
    spec, outcomes = sweep(scores, items=sizes, aggregation="micro")
    micro = rankings(spec, outcomes)[0]
    assert micro.row("baseline").scores == {0: pytest.approx(0.9), 1: pytest.approx(0.56)}
    spec, outcomes = sweep(scores, items=sizes, aggregation="per_task")
    assert [r.title for r in rankings(spec, outcomes)] == ["small/gate", "large/gate"]


def test_a_seed_that_misses_a_task_has_no_overall_score(sweep):
    spec, outcomes = sweep({"baseline": {"s": [0.1, None, 0.3], "t": [0.3, 0.5, 0.5]}})
    overall = rankings(spec, outcomes)[0]
    assert overall.row("baseline").scores == {0: pytest.approx(0.2), 2: pytest.approx(0.4)}
    assert overall.row("baseline").failed == 1


def test_nothing_finished_is_no_error(sweep):
    spec, outcomes = sweep({"baseline": {"s": [None], "t": [None]}})
    assert long_frame(outcomes).empty
    assert [r.rows[0].rank for r in rankings(spec, outcomes)] == [None, None, None]
    (row,) = rankings(spec, [])[0].rows
    assert (row.waiting, row.failed) == (2, 0)
