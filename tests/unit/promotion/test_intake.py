"""Scores that are not finite: dropped and counted, nothing else touched."""

import math

import pytest

from auto_benchmark.promotion.intake import without_non_finite


def document(*values):
    return {
        "metric": "f1",
        "candidate": [{"seed": i, "metrics": {"f1": v, "cost": 1.0}} for i, v in enumerate(values)],
        "control": [],
    }


@pytest.mark.parametrize("bad", [math.nan, math.inf, -math.inf, None, "NaN", "Infinity", "-inf"])
def test_a_trial_without_a_finite_primary_metric_goes(bad):
    cleaned, notes = without_non_finite(document(0.5, bad, 0.6))
    assert [t["seed"] for t in cleaned["candidate"]] == [0, 2]
    assert cleaned["dropped"] == 1
    assert len(notes) == 1 and "candidate[1]" in notes[0]


def test_other_metrics_and_items_go_alone():
    given = document(0.5)
    given["candidate"][0]["metrics"]["cost"] = math.nan
    given["candidate"][0]["items"] = {"a": 1, "b": None}
    cleaned, notes = without_non_finite(given)
    assert cleaned["candidate"] == [{"seed": 0, "metrics": {"f1": 0.5}, "items": {"a": 1}}]
    assert "dropped" not in cleaned
    assert len(notes) == 2
    assert math.isnan(given["candidate"][0]["metrics"]["cost"]), "the input is left as it was"


@pytest.mark.parametrize(
    "odd", [None, [], "text", {"metric": 3}, {"metric": "f1", "candidate": "x", "control": [1, None]}]
)
def test_other_faults_are_left_for_the_shape_check(odd):
    cleaned, notes = without_non_finite(odd)
    assert cleaned == odd
    assert notes == []
    assert without_non_finite(document("high"))[0] == document("high")
