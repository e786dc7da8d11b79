"""Objectives against simulated truth, and what they refuse."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from auto_benchmark.stats.agreement import krippendorff_alpha
from auto_benchmark.stats.applicability import NotApplicableError
from auto_benchmark.stats.objectives import difficulty, novelty, pareto_front, reliability, separability, share
from auto_benchmark.stats.simulation.constructions import Null, SimulatedPanel, null_panel, panel_with_gap

RUNS = 60


def test_difficulty_is_unbiased_where_the_papers_form_is_not_and_its_interval_holds_the_truth():
    held, values, paper = 0, [], []
    for run in range(200):
        rng = np.random.default_rng(run)
        a, b = rng.random((12, 60)) < 0.6, rng.random((12, 60)) < 0.6
        found = difficulty(a, b)
        held += found.interval[0] <= 0.4 <= found.interval[1]
        values.append(found.value)
        paper.append(found.paper_form)
    assert np.mean(values) == pytest.approx(0.4, abs=0.015)
    assert np.mean(paper) < 0.35
    assert held / 200 >= 0.88  # 93 % less three standard errors of 200 runs


@pytest.mark.parametrize("null", Null)
def test_equally_good_candidates_are_not_separable(null):
    found = [separability(null_panel(null, 9, 300, np.random.default_rng(run)), seed=run) for run in range(RUNS)]
    assert sum(one.is_separable for one in found) / RUNS <= 0.134  # 5 % and three standard errors
    if null is not Null.COPIES:
        assert np.mean([one.value for one in found]) == pytest.approx(0, abs=0.006)


def test_a_gap_of_ten_points_is_found():
    found = [separability(panel_with_gap(0.1, 9, 400, np.random.default_rng(run)), seed=run) for run in range(RUNS)]
    assert sum(one.is_separable for one in found) / RUNS >= 0.7  # 84 % less three standard errors


def test_copies_of_one_system_are_never_separable():
    right = np.repeat(np.random.default_rng(0).random((1, 100)) < 0.5, 5, axis=0)
    assert separability(right).p_value == 1.0
    assert separability(right).value == pytest.approx(0)


def test_a_difference_on_every_item_is_separable():
    right = np.zeros((3, 50), bool)
    right[0] = True
    assert separability(right).is_separable


def _novelty(seed: int, *, same: bool):
    rng = np.random.default_rng(seed)
    panel = SimulatedPanel(rng.normal(0, 1, 14))
    boards = np.stack([panel.answers(d, 300, rng).mean(axis=1) for d in (-0.5, 0, 0.5)], axis=1)
    new = panel if same else SimulatedPanel(rng.normal(0, 1, 14))
    return novelty(new.answers(0.3, 150, rng), new.answers(0.3, 150, rng), boards, [300] * 3, seed=seed)


def test_the_same_construct_is_not_novel_and_another_is():
    assert np.mean([_novelty(seed, same=True).value for seed in range(6)]) == pytest.approx(0, abs=0.06)
    assert np.mean([_novelty(seed, same=False).value for seed in range(4)]) > 0.7


def test_novelty_is_refused_with_too_few_candidates_and_where_accuracies_are_noise():
    rng = np.random.default_rng(0)
    with pytest.raises(NotApplicableError, match="too few for 3 boards"):
        novelty(rng.random((7, 50)) < 0.5, rng.random((7, 50)) < 0.5, rng.random((7, 3)), [50] * 3)
    with pytest.raises(NotApplicableError, match="mostly noise"):
        novelty(rng.random((9, 50)) < 0.5, rng.random((9, 50)) < 0.5, np.linspace(0.2, 0.8, 9)[:, None], [50])


def test_reliability_grows_with_items():
    panel, rng = SimulatedPanel(np.linspace(-1, 1, 12)), np.random.default_rng(3)
    short = np.mean([reliability(panel.answers(0, 15, rng), panel.answers(0, 15, rng)) for _ in range(20)])
    long = np.mean([reliability(panel.answers(0, 300, rng), panel.answers(0, 300, rng)) for _ in range(20)])
    assert short < long > 0.9


@settings(max_examples=40, deadline=None)
@given(st.integers(1, 6), st.integers(1, 30), st.integers(0, 10_000))
def test_difficulty_lies_in_its_interval_and_in_the_unit_interval(candidates, items, seed):
    rng = np.random.default_rng(seed)
    found = difficulty(rng.random((candidates, items)) < 0.5, rng.random((candidates, items)) < 0.5)
    assert 0 <= found.interval[0] <= found.value <= found.interval[1] <= 1


def test_no_items_are_refused():
    with pytest.raises(NotApplicableError):
        difficulty(np.zeros((2, 0), bool), np.zeros((2, 5), bool))
    with pytest.raises(NotApplicableError):
        separability(np.zeros((1, 50), bool))
    with pytest.raises(NotApplicableError):
        share(np.zeros(0, bool))


def test_the_pareto_front_holds_what_nothing_beats():
    assert pareto_front(np.array([[1.0, 0.0], [0.0, 1.0], [0.5, 0.5], [0.4, 0.4], [1.0, 0.0]])) == [0, 1, 2, 4]


def test_alpha_is_krippendorffs():
    """Perfect, and the worked example of Krippendorff (2011), "Computing Krippendorff's alpha-reliability", part A."""
    one = [bool(v) for v in (0, 1, 0, 0, 0, 0, 0, 0, 1, 0)]
    other = [bool(v) for v in (1, 1, 1, 0, 0, 1, 0, 0, 0, 0)]
    assert krippendorff_alpha([one, one]) == 1.0
    assert krippendorff_alpha([one, other]) == pytest.approx(0.095, abs=0.001)
    with pytest.raises(NotApplicableError):
        krippendorff_alpha([[True, True], [True, None]])
