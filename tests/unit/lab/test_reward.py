"""Rewards are piecewise linear through the anchors, in the declared transform."""

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from auto_benchmark.lab.harness import reward

COST = {"transform": "log", "direction": "minimize", "baseline": 1000.0, "reference": 100.0, "stretch": 50.0}
SHARE = {"transform": "logit", "direction": "maximize", "baseline": 0.5, "reference": None, "stretch": 0.9}


@pytest.mark.parametrize(
    ("anchors", "score", "wanted"),
    [
        (COST, 1000, 0.0),
        (COST, 100, 0.5),
        (COST, 50, 1.0),
        (COST, 25, 1.5),
        (COST, 2000, 0.0),
        (COST, 1000 / math.sqrt(10), 0.25),
        (SHARE, 0.5, 0.0),
        (SHARE, 0.75, 0.5),
        (SHARE, 0.9, 1.0),
        (SHARE, 0.1, 0.0),
        (SHARE, 0.0, 0.0),  # all wrong
    ],
)
def test_known_values(anchors, score, wanted):
    assert reward.reward(score, anchors) == pytest.approx(wanted)


ALL = {
    "cost": COST, "share": SHARE,
    "error rate": {"transform": "logit", "direction": "minimize", "baseline": 0.5, "reference": 0.2, "stretch": 0.1},
    "gain": {"transform": "log", "direction": "maximize", "baseline": 10.0, "reference": 50.0, "stretch": 100.0},
    "points": {"transform": "linear", "direction": "maximize", "baseline": -5.0, "reference": 0.0, "stretch": 5.0},
}  # fmt: skip
ANY = st.one_of(st.sampled_from([0.0, 1.0, -1.0, 5e-324, -1e308, 1e308]), st.floats(-2, 2), st.floats(-1e9, 1e9))


@pytest.mark.parametrize("anchors", ALL.values(), ids=ALL)
@given(one=ANY, other=ANY)
def test_a_better_score_never_gives_less_also_where_the_transform_ends(anchors, one, other):
    better, worse = sorted((one, other), reverse=anchors["direction"] == "maximize")
    most, least = reward.reward(better, anchors), reward.reward(worse, anchors)
    assert 0 <= least <= most
    assert math.isfinite(most)


@pytest.mark.parametrize(("anchors", "score"), [(COST, 0.0), (COST, -5.0), (SHARE, 1.0), (SHARE, 2.0)])
def test_beyond_the_transform_it_is_a_finite_record(anchors, score):
    assert 1 < reward.reward(score, anchors) < 1e4


def test_autolabs_own_is_clipped_and_half_at_the_reference():
    assert reward.autolab(100, COST) == pytest.approx(0.5)
    assert reward.autolab(1, COST) == 1.0
    assert reward.autolab(5000, COST) == 0.0
    assert reward.autolab(100, {**COST, "reference": None}) == 0.0


def test_ratio_says_how_many_times_better():
    assert reward.ratio(100, COST) == 10
    assert reward.ratio(0.75, SHARE) == 1.5
    assert reward.ratio(0, COST) == 0
