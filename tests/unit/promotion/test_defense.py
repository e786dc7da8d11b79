"""Regression alarms on simulated truth."""

import numpy as np
import pytest

from auto_benchmark.promotion.defense import (
    FALSE_ALERTS,
    Watched,
    broken_promise,
    causes,
    confirm,
    confirmation_limit,
    repairs,
    rings,
)
from auto_benchmark.stats.noise import PooledNoise

SD, THRESHOLD, CYCLES, PER_CYCLE, FRESH = 0.004, 0.005, 200, 2, 8


def watched(baseline, scores, *, higher=True, sd=SD, tolerated=THRESHOLD):
    return Watched("m", higher, tolerated, PooledNoise(sd, 30), baseline, scores)


def alerts(seed, *, loss=0.0, at=0):
    """Cycles at which people are alerted in a run of 200, production being ``loss`` worse from cycle ``at`` on."""
    rng = np.random.default_rng(seed)
    baseline, scores, found, refuted = rng.normal(0.8, SD, 8), [], [], 0
    for cycle in range(CYCLES):
        mean = 0.8 - (loss if cycle >= at else 0.0)
        scores += list(rng.normal(mean, SD, PER_CYCLE))
        if rings(watched(baseline, scores)):
            if confirm(watched(baseline, scores), list(rng.normal(mean, SD, FRESH)), earlier=refuted).confirmed:
                found.append(cycle)
                break
            scores, refuted = [], refuted + 1
    return found


def test_no_alert_in_200_clean_cycles():
    assert sum(bool(alerts(seed)) for seed in range(100)) == 0, "0.1 % a metric is promised; perf/defense_alarms.py"


def test_the_level_of_all_confirmations_adds_up():
    from scipy import stats

    levels = [stats.t.sf(confirmation_limit(attempt, 30), 30) for attempt in range(1, 2000)]
    assert levels == sorted(levels, reverse=True) and sum(levels) == pytest.approx(FALSE_ALERTS, rel=1e-3)


def test_a_refuted_alarm_makes_the_next_one_harder_to_confirm():
    case = watched([0.8] * 12, [0.78])
    fresh = [0.792] * 5
    assert confirm(case, fresh).confirmed and not confirm(case, fresh, earlier=5).confirmed


@pytest.mark.parametrize(("loss", "within"), [(0.024, 1), (0.012, 2)])
def test_a_loss_is_found_soon(loss, within):
    delays = [found[0] - 50 for seed in range(40) if (found := alerts(seed, loss=loss, at=50))]
    assert len(delays) >= 39
    assert np.median(delays) <= within


def test_a_metric_where_lower_is_better():
    quiet = [10.0, 10.1, 9.9, 10.0, 10.05]
    latency = {"higher": False, "sd": 0.1, "tolerated": 1.0}
    assert rings(watched(quiet, [12.0, 12.1], **latency))
    assert not rings(watched(quiet, [8.0, 8.1], **latency))
    loss = confirm(watched(quiet, [12.0], **latency), [12.0, 12.1, 11.9])
    assert loss.confirmed and loss.loss == pytest.approx(1.99)
    assert not confirm(watched(quiet, [10.5], **latency), [10.5, 10.5, 10.5]).confirmed, "5 % is tolerated"


def test_too_little_to_compare_with_rings_nothing():
    assert not rings(watched([0.8] * 4, [0.1, 0.1]))
    assert not rings(Watched("m", True, 0.0, PooledNoise(SD, 5), [0.8] * 8, [0.1]))
    assert not rings(watched([0.8] * 8, []))


def test_going_back_must_repair_something():
    now, before = [0.770, 0.772, 0.771, 0.773], [0.793, 0.795, 0.794]
    assert repairs(before, now, tolerated=0.01, higher_is_better=True)
    assert not repairs([0.773, 0.770, 0.774], now, tolerated=0.0, higher_is_better=True), "luck is no repair"
    assert not repairs(before, now, tolerated=0.03, higher_is_better=True), "too little to matter"
    assert not repairs(before, now, tolerated=0.01, higher_is_better=False)
    assert not repairs([0.9], now, tolerated=0.005, higher_is_better=True), "one trial shows nothing"
    assert repairs([1.0, 1.0], [1.2, 1.2], tolerated=0.1, higher_is_better=False)
    assert not repairs([1.2, 1.2], [1.2, 1.2], tolerated=0.0, higher_is_better=False)


def test_causes_are_named_or_said_to_be_unknown():
    before = {"code": "a", "lock": "b", "inputs": "c", "cpu": "d", "key": "1"}
    assert causes(before, {**before, "lock": "x", "key": "2"}) == ["the dependency lock changed (lock: b -> x)"]
    assert causes(before, {**before, "inputs": "x"}) == ["a data file on disk changed (inputs: c -> x)"]
    assert "nothing that is recorded changed" in causes(before, before)[0]


def test_a_promise_is_broken_beyond_noise_only():
    assert broken_promise(0.80, 0.79, error=0.006, higher_is_better=True) is None
    assert broken_promise(0.80, 0.77, error=0.006, higher_is_better=True) == pytest.approx(0.03)
    assert broken_promise(3.2, 3.4, error=0.01, higher_is_better=False) == pytest.approx(0.2)
