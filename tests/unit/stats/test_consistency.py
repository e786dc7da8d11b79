"""How alike two benchmarks rank systems, against simulated truth."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.stats import kendalltau

from auto_benchmark.stats.applicability import NotApplicableError
from auto_benchmark.stats.consistency import consistency, tau_b
from auto_benchmark.stats.simulation.constructions import SimulatedPanel

ITEMS, RUNS = 120, 30


def abilities(seed: int, systems: int = 10, spread: float = 0.8):
    return np.random.default_rng(seed).normal(0, spread, systems)


def answered(ability, seed, items: int = ITEMS, harder: float = 0.0):
    return SimulatedPanel(ability).answers(harder, items, np.random.default_rng(seed))


@settings(max_examples=60, deadline=None)
@given(st.lists(st.tuples(st.integers(0, 6), st.integers(0, 6)), min_size=5, max_size=12))
def test_tau_is_kendalls_b_with_ties(pairs):
    a, b = np.array(pairs, float).T / 7
    expected = kendalltau(a, b).statistic
    assert float(tau_b(a, b)) == pytest.approx(0.0 if np.isnan(expected) else expected)


def test_its_interval_holds_the_mean_of_repeated_benchmarks_and_alike_ones_reach_the_ceiling():
    one = abilities(1)
    mean = np.mean([tau_b(answered(one, (1, k)).mean(axis=1), answered(one, (2, k), harder=0.7).mean(axis=1))
                    for k in range(800)])  # fmt: skip
    found = [consistency(answered(one, (3, k)), answered(one, (4, k), harder=0.7), seed=k) for k in range(RUNS)]
    assert sum(f.interval[0] <= mean <= f.interval[1] for f in found) / RUNS >= 0.87  # 95 % less two standard errors
    assert sum(f.is_less_alike_than_noise_explains for f in found) / RUNS <= 0.1
    assert np.mean([f.ceiling for f in found]) == pytest.approx(mean, abs=0.04)
    assert np.mean([f.corrected for f in found]) > 0.85


def test_unrelated_orders_are_near_zero_and_told_from_the_ceiling():
    found = [
        consistency(answered(abilities(10 + k), (5, k)), answered(abilities(500 + k), (6, k)), seed=k)
        for k in range(RUNS)
    ]
    assert abs(np.mean([f.tau for f in found])) < 0.12
    assert sum(f.is_less_alike_than_noise_explains for f in found) / RUNS >= 0.85


def test_equally_good_systems_are_not_corrected_and_not_called_unlike():
    same = np.zeros(8)
    found = [consistency(answered(same, (7, k)), answered(same, (8, k)), seed=k) for k in range(RUNS)]
    assert np.mean([f.ceiling for f in found]) < 0.25
    assert sum(f.corrected is None for f in found) / RUNS > 0.5
    assert sum(f.is_less_alike_than_noise_explains for f in found) / RUNS <= 0.15


def test_subtasks_with_orders_of_their_own_are_halved_and_drawn_one_by_one():
    one = abilities(3)
    both = [np.concatenate([answered(one, (9, k), 30), answered(-one, (10, k), 30)], axis=1) for k in range(2)]
    groups = ["first"] * 30 + ["second"] * 30
    apart, together = consistency(*both, (groups, groups)), consistency(*both)
    assert np.ptp(apart.interval) < np.ptp(together.interval)


def test_the_same_answers_are_wholly_alike_and_the_reverse_wholly_unlike():
    # whatever halves there are, they have one order
    right = np.arange(100)[None, :] % 10 < np.arange(2, 8)[:, None]
    assert consistency(right, right.copy()).tau == pytest.approx(1.0)
    turned = consistency(right, right[::-1])
    assert turned.tau == pytest.approx(-1.0) and turned.is_less_alike_than_noise_explains


@pytest.mark.parametrize(
    ("shape", "other", "words"),
    [
        ((4, 100), (4, 100), "at least 5 systems"),
        ((6, 19), (6, 100), "at least"),
        ((6, 50), (7, 50), "6 systems in the"),
    ],
)
def test_what_is_too_small_or_does_not_match_is_refused(shape, other, words):
    rng = np.random.default_rng(0)
    with pytest.raises(NotApplicableError, match=words):
        consistency(rng.random(shape) < 0.5, rng.random(other) < 0.5)


def test_a_benchmark_without_any_order_is_refused():
    rng = np.random.default_rng(0)
    with pytest.raises(NotApplicableError, match="equally good"):
        consistency(np.ones((6, 50), bool), rng.random((6, 50)) < 0.5)
