"""The median rule over reported progress."""

from auto_benchmark.hypotheses.search.pruning import LEAST_PAST, MedianRule
from auto_benchmark.registry.solution import Pruning

STEPS = range(1, 11)


def rule(past, *, higher=True, warmup=0):
    return MedianRule(Pruning(metric="fit", higher_is_better=higher, warmup=warmup), past)


def curves(count, slope=1.0):
    return [{step: slope * step + 0.01 * i for step in STEPS} for i in range(count)]


def stopped_at(found, slope):
    return next((step for step in STEPS if found.verdict(step, slope * step)), None)


def test_what_is_behind_is_stopped_and_what_leads_is_not():
    assert stopped_at(rule(curves(6)), 0.5) == 1
    assert stopped_at(rule(curves(6)), 1.2) is None
    assert stopped_at(rule(curves(6, slope=-1.0), higher=False), -0.5) == 1
    assert stopped_at(rule(curves(6, slope=-1.0), higher=False), -1.2) is None


def test_nothing_is_stopped_before_the_warmup_or_without_enough_past_trials():
    assert stopped_at(rule(curves(6), warmup=4), 0.5) == 4, "from the warmup's step on"
    assert stopped_at(rule(curves(LEAST_PAST - 1)), 0.1) is None
    assert stopped_at(rule([*curves(LEAST_PAST - 1), {}]), 0.1) is None, "a trial without progress says nothing"


def test_the_reason_names_metric_step_and_past():
    assert rule(curves(6)).verdict(3, 1.0) == "pruned: fit 1 at step 3 is behind the median of 6 past trials"
