"""How an agent takes feedback: pure functions, checked against what must hold for any sequence of rewards."""

import itertools
import time
from dataclasses import replace
from statistics import fmean

import pytest
from hypothesis import given
from hypothesis import strategies as st

from auto_benchmark.lab.comparison import Cell, FinishedRun, cells, inferences, mean_curve
from auto_benchmark.lab.plan import Feedback
from auto_benchmark.lab.resilience import (
    area,
    best_so_far,
    closed_loop_gain,
    distance,
    pivots,
    recovery,
    recovery_expected,
    shock_attempts,
)

rewards = st.lists(st.none() | st.floats(0, 2), max_size=12)
short = st.lists(st.none() | st.floats(0, 2), min_size=2, max_size=6)


@given(rewards)
def test_the_best_so_far_never_falls_and_ends_at_the_largest(values):
    curve = best_so_far(values)
    assert curve == sorted(curve) and len(curve) == len(values)
    assert not values or curve[-1] == max(0.0, *(v or 0.0 for v in values))


@given(rewards, st.integers(1, 20))
def test_an_area_lies_between_the_first_and_the_best(values, more):
    attempts = len(values) + more
    curve = [0.0, *best_so_far(values)]
    assert min(curve) <= area(values, attempts) + 1e-12 <= max(curve) + 2e-12
    assert closed_loop_gain(values, values, attempts) == 0
    assert closed_loop_gain(values, [], attempts) == area(values, attempts)


def test_an_area_by_hand():
    assert area([None, 0.5, 0.2, 1.0], 4) == (0 + 0.5 + 0.5 + 1) / 4
    assert area([0.5], 4) == 0.5
    assert area([], 3) == 0


@given(short)
def test_the_expectation_is_the_mean_over_all_orders(values):
    told = [r for order in itertools.permutations(values) if (r := recovery(order)) is not None]
    expected = recovery_expected(values)
    assert (expected is None) if not told else expected == pytest.approx(fmean(told))


@given(rewards)
def test_a_recovery_is_a_share_and_chance_knows_it_too(values):
    found = recovery(values)
    assert found is None or 0 <= found <= 1
    assert found is None or recovery_expected(values) is not None


def test_recoveries_by_hand():
    assert recovery([0.2, None, None, None, 0.4]) == 1.0, "each of the three is followed within three"
    assert recovery([0.2, None, 0.2, 0.2, 0.2, 0.4]) == 0.0, "the new best comes one attempt too late"
    assert recovery([0.1, 0.2, 0.3]) is None, "nothing failed"
    assert recovery([0.1, None]) is None, "the last attempt cannot be followed"
    assert recovery([0.5, 0.1, 0.5]) == 0.0, "the old best again is no new one"


def test_a_pivot_comes_after_three_attempts_without_a_best():
    texts = ["a\nb", "a\nc", "a\nd", "a\ne", "a\nf", "x\ny"]
    [found] = pivots([0.5, 0.4, None, 0.5, 0.9], texts)
    assert (found.attempt, found.distance, found.gain) == (5, 1.0, pytest.approx(0.4))
    assert pivots([0.1, 0.2, 0.3, 0.4], texts) == []


def test_texts_of_many_equal_lines_are_compared_in_time():
    began = time.monotonic()
    assert distance("\n" * 200_000, "x\n" + "\n" * 199_999) == pytest.approx(1 / 200_000)
    assert time.monotonic() - began < 5


@given(st.text("ab\n", max_size=20), st.text("ab\n", max_size=20))
def test_a_distance_is_zero_for_equal_texts_and_one_at_most(one, other):
    assert distance(one, one) == 0
    assert 0 <= distance(one, other) <= 1


def test_a_shock_lasts_until_what_was_there_is_reached_again():
    assert shock_attempts([0.3, 0.5, 0.1, 0.2, 0.5], 2) == 3
    assert shock_attempts([0.3, 0.5, 0.6], 2) == 1
    assert shock_attempts([0.3, 0.5, 0.1], 2) is None
    assert shock_attempts([0.3], 2) is None


def cell(task: str, arm: Feedback, area_: float) -> Cell:
    return Cell(task, "a", arm, 1, area_, None, area_, 0.0, None, None)


def test_inference_is_over_tasks_with_the_smallest_p_that_they_can_give():
    found = [cell(f"t{n}", Feedback.TRUE, 0.5 + n / 100) for n in range(6)]
    found += [cell(f"t{n}", Feedback.SHAM, 0.1) for n in range(6)]
    [test] = inferences(found)
    assert (test.against, test.tasks) == (Feedback.SHAM, 6)
    assert test.p == test.attainable == 2**-5
    assert test.gain == pytest.approx(0.425)


def test_a_gain_has_an_interval_where_it_varies_and_none_otherwise():
    found = [cell(f"t{n}", Feedback.TRUE, gain) for n, gain in enumerate((0.1, 0.2, 0.3))]
    [test] = inferences([*found, *(cell(f"t{n}", Feedback.SHAM, 0.0) for n in range(3))])
    assert test.interval == pytest.approx((0.2 - 4.30265 * 0.1 / 3**0.5, 0.2 + 4.30265 * 0.1 / 3**0.5), abs=1e-5)
    [single] = inferences([found[0], cell("t0", Feedback.SHAM, 0.0)])
    assert single.interval is None


def test_pivots_of_all_runs_are_counted_with_what_they_brought():
    told = [[], [{"attempt": 5, "distance": 0.5, "gain": 0.2}], [{"attempt": 4, "distance": 0.1, "gain": -0.4}]]
    runs = [
        FinishedRun("t", "a", Feedback.TRUE, 5, None, {"reward": 0.0, "attempts": [], "resilience": {
            "recovery": None, "recovery_expected": None, "shock_attempts": None, "pivots": pivots_}})
        for pivots_ in told
    ]  # fmt: skip
    [found] = cells(runs)
    assert (found.pivots, found.pivot_distance, found.pivot_gain) == (2, pytest.approx(0.3), pytest.approx(-0.1))


def test_arms_with_other_budgets_are_named_and_not_compared():
    found = [cell(f"t{n}", Feedback.TRUE, 0.5) for n in range(3)]
    others = [cell(f"t{n}", Feedback.SHAM, 0.1) for n in range(3)]
    others[1] = replace(others[1], budgets=("3 attempts, 6 measures, 60 min",))
    [test] = inferences([*found, *others])
    assert (test.tasks, test.unequal) == (2, ("t1",))


def test_one_task_gives_no_test_but_a_reason():
    [test] = inferences([cell("t", Feedback.TRUE, 0.5), cell("t", Feedback.NONE, 0.1)])
    assert test.p is None and test.reason


def test_medals_are_steps_of_the_reward():
    medals = [cell("t", Feedback.TRUE, value).medal for value in (1.2, 1.0, 0.5, 0.1, 0.0)]
    assert medals == ["gold", "gold", "silver", "bronze", ""]


def test_a_mean_curve_holds_what_stopped_early():
    assert mean_curve([[0.2], [0.0, 0.4]], 3) == pytest.approx([0.1, 0.3, 0.3])
