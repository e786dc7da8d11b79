"""Guards look at what was measured outside, and say where only the trial vouches for a metric."""

import pytest

from auto_benchmark.contract import limits
from auto_benchmark.contract.measured import MetricSource, measured_as, shown_name, source_of
from auto_benchmark.experiments.trials.scoring import SELF_REPORTED
from auto_benchmark.promotion.gate import Case, decide, thaw
from auto_benchmark.promotion.guarding import COST_LIMITS, gate_guards
from auto_benchmark.promotion.replay import decision_json, replay
from auto_benchmark.promotion.schema import Evidence, Observation
from auto_benchmark.registry.guard import Guard
from auto_benchmark.stats.applicability import LARGEST

COST = {"wall_s": 8.0, "cpu_s": 7.0, "peak_memory_mb": 90.0}
OWN = {"latency_ms": 1.0, "memory_mb": 20.0}


def side(score, first, n=5, **changed):
    """Trials whose every value wavers a little."""
    metrics = {"accuracy": score, **OWN, **COST, **changed}
    return [
        Observation(seed=first + i, metrics={k: v * (1 + i / 1000) for k, v in metrics.items() if v is not None})
        for i in range(n)
    ]


def evidence(candidate, control, **more):
    return Evidence(
        metric="accuracy", higher_is_better=True, promotion_threshold=0.02, leader_score=0.7, candidate=candidate,
        control=control, **more,
    )  # fmt: skip


def verdict(candidate, control, declared=(), scored=("accuracy",)):
    guards = gate_guards(declared, "accuracy", candidate, control, scored=scored)
    decision = decide(evidence(candidate, control), guards=guards)
    return decision.verdict, next(row.reason for row in decision.criteria if row.name == "no_regression")


def test_a_better_candidate_that_costs_somewhat_more_is_promoted():
    """The demo's dearest configuration: a fifth more time, three hundredths more memory; and twice as much."""
    for factor in (1.0, 1.2, 1.9):
        dearer = side(0.9, 100, **{name: value * factor for name, value in COST.items()})
        said, reason = verdict(dearer, side(0.6, 1), [Guard.declared("latency_ms", 0.1)])
        assert said == "promote", (factor, reason)


@pytest.mark.parametrize(("name", "factor"), [("wall_s", 24), ("cpu_s", 24), ("peak_memory_mb", 11), ("cpu_s", 4)])
def test_one_that_costs_many_times_as_much_is_not_whatever_it_reports(name, factor):
    dearer = side(0.9, 100, **{name: COST[name] * factor})
    said, reason = verdict(dearer, side(0.6, 1))
    assert said == "reject" and reason.startswith(f"{name}: worse by")


def test_the_limits_are_declared_in_the_solution():
    dearer = side(0.9, 100, cpu_s=COST["cpu_s"] * 4)
    assert verdict(dearer, side(0.6, 1), [Guard.declared("cpu_time", 4.0)])[0] == "promote"
    slower = side(0.9, 100, wall_s=COST["wall_s"] * 1.3)
    assert verdict(slower, side(0.6, 1), [Guard.declared("wall_s", 0.1)])[0] == "reject"


def test_a_guard_on_memory_looks_at_the_measured_peak_and_not_at_the_report():
    declared = [Guard.declared("memory_mb", 0.15)]
    assert verdict(side(0.9, 100, peak_memory_mb=130.0), side(0.6, 1), declared)[0] == "reject"
    said, reason = verdict(side(0.9, 100, memory_mb=2000.0), side(0.6, 1), declared)
    assert said == "promote" and "memory_mb (self-reported)" not in reason
    assert verdict(side(0.9, 100, peak_memory_mb=104.0), side(0.6, 1), declared)[0] == "promote", (
        "within its resolution"
    )


@pytest.mark.parametrize("missing", ["candidate", "control"])
def test_where_nothing_was_measured_the_report_is_guarded_and_named_so(missing):
    unknown = dict.fromkeys(COST)
    sides = {"candidate": side(0.9, 100, memory_mb=40.0), "control": side(0.6, 1)}
    sides[missing] = side(0.9, 100, memory_mb=40.0, **unknown) if missing == "candidate" else side(0.6, 1, **unknown)
    said, reason = verdict(sides["candidate"], sides["control"], [Guard.declared("memory_mb", 0.15)])
    assert said == "reject" and reason.startswith("memory_mb (self-reported): worse by")


def test_every_reported_metric_is_named_so_and_no_other():
    declared = [Guard.declared("latency_ms", 0.1), Guard.declared("recall", 0.1, higher_is_better=True)]
    sides = side(0.9, 100, recall=0.5), side(0.6, 1, recall=0.5)
    reason = verdict(*sides, declared, scored=("accuracy", "recall"))[1]
    named = {part.partition(":")[0] for part in reason.split("; ")}
    assert named == {"latency_ms (self-reported)", "memory_mb (self-reported)", "recall", *COST}


def test_a_primary_metric_that_the_trial_reports_is_named_so():
    sides = side(0.9, 100), side(0.6, 1)
    own = decide(evidence(*sides, source=source_of("accuracy", ())))
    assert own.criteria[0].reason.startswith("accuracy (self-reported): +0.3")
    assert (
        "self-reported" not in decide(evidence(*sides, source=source_of("accuracy", {"accuracy"}))).criteria[0].reason
    )


def test_a_decision_keeps_its_guards_and_replays_to_the_same_bytes():
    sides = side(0.9, 100), side(0.6, 1)
    guards = gate_guards([Guard.declared("memory_mb", 0.15)], "accuracy", *sides, scored=("accuracy",))
    stored = Case(evidence=evidence(*sides), guards=guards).model_dump_json()
    assert replay(stored, decision_json(decide(evidence(*sides), guards=guards))) == []
    assert {g.name: g.source for g in thaw(stored).guards}["peak_memory_mb"] is MetricSource.MEASURED


def test_a_decision_from_before_has_no_guards_but_its_own():
    """Its evidence holds wall times, which nothing guarded then; its words are those of then."""
    sides = side(0.9, 100, wall_s=800.0), side(0.6, 1)
    before = evidence(*sides).model_dump_json(exclude={"source"})
    decision = thaw(before).decide()
    assert decision.verdict == "promote"
    reason = next(row.reason for row in decision.criteria if row.name == "no_regression")
    assert "self-reported" not in reason and "wall_s" not in reason


def test_names_of_costs():
    assert [measured_as(n) for n in ("latency", "wall_s", "cpu_s", "memory_mb", "peak_memory_mb")] == [
        "wall_s", "wall_s", "cpu_s", "peak_memory_mb", "peak_memory_mb",
    ]  # fmt: skip
    assert measured_as("latency_ms") is None and measured_as("accuracy") is None
    assert (
        shown_name("x", MetricSource.SELF_REPORTED) == "x (self-reported)"
        and shown_name("x", MetricSource.MEASURED) == shown_name("x", None) == "x"
    )
    assert MetricSource.SELF_REPORTED == SELF_REPORTED and set(COST_LIMITS) == set(COST)
    assert limits.LARGEST_NUMBER == LARGEST
