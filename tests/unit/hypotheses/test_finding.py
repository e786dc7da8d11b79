"""What the search says when nothing was found."""

import random

import pytest

from auto_benchmark.hypotheses.search import choose
from auto_benchmark.hypotheses.search.finding import Refused, nothing_better
from auto_benchmark.hypotheses.search.results import Tried

BASE = {"k": 0}


def tried(scores, *, base=(0.50, 0.51, 0.49)):
    return [Tried(BASE, base), *(Tried({"k": i}, (s,)) for i, s in enumerate(scores, 1))]


def test_before_anything_was_compared_nothing_is_said():
    assert nothing_better(BASE, [], []) is None
    assert nothing_better(BASE, [Tried(BASE, (0.5, 0.51))], []) is None
    assert nothing_better(BASE, [Tried({"k": 1}, (0.5,))], []) is None, "the base itself was never run"


def test_the_best_of_the_search_with_an_interval_for_all_of_them():
    found = nothing_better(BASE, tried([0.505, 0.51]), [])
    assert (found.trials, found.configurations, found.refused, found.split) == (5, 2, 0, "search")
    assert found.gain == pytest.approx(0.01)
    half = (found.interval[1] - found.interval[0]) / 2
    assert half == pytest.approx(2.2414 * 0.01 * (1 + 1 / 3) ** 0.5, rel=1e-3), "z at 2.5 % / 2 on each side"
    assert found.within_noise
    assert found.sentence == (
        "nothing found: 5 trials, 2 configurations searched, 0 judged by the gate and none better; best candidate "
        "within noise: +0.0100 on the search split (95 % interval -0.0159 to +0.0359)"
    )


def test_what_the_gate_judged_counts_with_the_gate_s_items():
    judged = [Refused({"k": 1}, 3, 0.001, 0.004), Refused({"k": 2}, 1, -0.02, 0.01), Refused({"k": 3}, 2)]
    found = nothing_better(BASE, tried([0.56, 0.57, 0.5]), judged, waiting=2)
    assert (found.trials, found.refused, found.gain, found.split) == (12, 3, 0.001, "gate")
    assert found.within_noise and found.interval[0] < -0.003
    assert found.sentence.endswith("; 2 more wait for the gate")


def test_a_candidate_beyond_noise_is_not_called_noise():
    found = nothing_better(BASE, tried([0.9]), [])
    assert not found.within_noise and "beyond noise, but not judged by the gate" in found.sentence
    slow = nothing_better(BASE, tried([0.9]), [Refused({"k": 1}, 12, 0.4, 0.01)])
    assert not slow.within_noise and "beyond noise, but short of a promotion" in slow.sentence


def test_a_challenger_is_not_mistaken_for_production():
    found = nothing_better(BASE, tried([0.505]), [], of_challenger=True)
    assert found.sentence.startswith("nothing found beyond the challenger: 4 trials")


def test_without_noise_no_interval_is_claimed():
    found = nothing_better(BASE, tried([0.5], base=(0.5,)), [])
    assert found.interval is None and not found.within_noise and found.sentence.endswith("its noise is unknown")


def test_the_interval_of_the_best_of_many_holds():
    """40 equal configurations: the best one's interval misses the truth, 0, in at most 5 % of searches."""
    missed = 0
    for seed in range(400):
        rng = random.Random(seed)
        base = tuple(rng.gauss(0.5, 0.01) for _ in range(3))
        others = [Tried({"k": i}, (rng.gauss(0.5, 0.01), rng.gauss(0.5, 0.01))) for i in range(1, 41)]
        missed += not nothing_better(BASE, [Tried(BASE, base), *others], []).within_noise
    assert missed <= 20


def test_what_the_gate_refused_is_no_reason_to_go_on():
    history = tried([0.56, 0.50])
    assert not choose.has_plateaued(BASE, history)
    assert choose.has_plateaued(BASE, history, [{"k": 1}])


def test_a_candidate_that_is_worse_is_not_called_noise():
    found = nothing_better(BASE, tried([0.505]), [Refused({"k": 3}, 3, gain=-0.010, half_width=0.004)])
    assert not found.within_noise
    assert "worse than what we have: -0.0100" in found.sentence
