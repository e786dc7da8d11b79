"""Standard metrics: scikit-learn's value, and values per item that are the exact jackknife's."""

from __future__ import annotations

import math
import random

import pytest
from sklearn import metrics as reference

from auto_benchmark.contract.standard_scoring import StandardScorer, label
from auto_benchmark.registry.standard_metrics import STANDARD, Answers

LABELS = ("cat", "dog", "eel", "fox")


def ids(n):
    return [f"i{i}" for i in range(n)]


def scored(name, truth, given):
    answers = {i: {"answer": t} for i, t in zip(ids(len(truth)), truth, strict=True)}
    predictions = {i: g for i, g in zip(ids(len(given)), given, strict=True) if g is not None}
    return StandardScorer([name]).score(predictions, answers)


def labels(n, seed):
    rng = random.Random(seed)
    truth = [rng.choices(LABELS, (8, 4, 2, 1))[0] for _ in range(n)]
    return truth, [t if rng.random() < 0.6 else rng.choice(LABELS) for t in truth]


def numbers(n, seed):
    rng = random.Random(seed)
    truth = [rng.gauss(0, 1) for _ in range(n)]
    return truth, [t + rng.gauss(0, 1) for t in truth]


REFERENCE = {
    "accuracy": reference.accuracy_score,
    "balanced_accuracy": reference.balanced_accuracy_score,
    **{
        f"{average}_f1": lambda t, g, average=average: reference.f1_score(t, g, average=average, zero_division=0)
        for average in ("macro", "micro", "weighted")
    },
    "mse": reference.mean_squared_error,
    "rmse": reference.root_mean_squared_error,
    "mae": reference.mean_absolute_error,
    "r2": reference.r2_score,
}


@pytest.mark.parametrize("seed", range(5))
@pytest.mark.parametrize("name", REFERENCE)
def test_value_and_items_are_those_of_the_reference_with_each_item_left_out(name, seed):
    truth, given = labels(25, seed) if STANDARD[name].answers is Answers.LABEL else numbers(25, seed)
    found, whole = scored(name, truth, given), REFERENCE[name](truth, given)
    values = list(found.items[name].values())
    assert found.metrics[name] == pytest.approx(whole)
    assert math.fsum(values) / len(values) == pytest.approx(whole)
    without = [REFERENCE[name](truth[:i] + truth[i + 1 :], given[:i] + given[i + 1 :]) for i in range(len(truth))]
    mean = sum(without) / len(without)
    assert values == pytest.approx([whole + (len(truth) - 1) * (mean - one) for one in without])


@pytest.mark.parametrize(("name", "sample"), [("macro_f1", labels), ("rmse", numbers)])
def test_items_tell_how_far_the_metric_moves_with_the_choice_of_items(name, sample):
    """The standard error from the items is the spread of the metric over fresh samples."""
    errors, values = [], []
    for seed in range(300):
        found = scored(name, *sample(200, seed))
        items, centre = list(found.items[name].values()), found.metrics[name]
        values.append(centre)
        errors.append(math.sqrt(sum((v - centre) ** 2 for v in items) / (len(items) - 1) / len(items)))
    centre = sum(values) / len(values)
    spread = math.sqrt(sum((v - centre) ** 2 for v in values) / (len(values) - 1))
    assert sum(errors) / len(errors) == pytest.approx(spread, rel=0.15)


def test_an_unanswered_item_is_wrong_and_no_class():
    found = scored("macro_f1", ["a", "a", "b", "b"], ["a", None, "b", "b"])
    assert found.metrics["macro_f1"] == pytest.approx((2 / 3 + 1) / 2)
    assert scored("accuracy", ["a", "b"], ["a", None]).metrics["accuracy"] == 0.5
    assert scored("exact_match", ["", "b"], [None, "b"]).metrics["exact_match"] == 0.5


@pytest.mark.parametrize("given", [[1.0, None], [1.0, "2"], [1.0, True]])
def test_a_number_that_is_missing_or_none_is_refused(given):
    with pytest.raises(ValueError, match="1 of 2 predictions are missing or not a number"):
        scored("rmse", [1.0, 2.0], given)


def test_texts_are_compared_as_squad_compares_them():
    exact = scored("exact_match", [["The Eiffel Tower", "Eiffel tower, Paris"], "42"], ["eiffel tower!", 42])
    assert exact.metrics["exact_match"] == 1.0
    f1 = scored("token_f1", ["the quick brown fox", "a b c"], ["quick fox", ""])
    assert f1.items["token_f1"] == {"i0": pytest.approx(0.8), "i1": 0.0}


def test_labels_of_tables_and_of_json_are_the_same_labels():
    assert {label(1), label(1.0), label("1")} == {"1"}
    assert label(True) == label("true") == "true"


def test_slices_are_scored_apart():
    answers = {"a": {"answer": "x", "slice": "s"}, "b": {"answer": "y", "slice": "t"}, "c": {"answer": "x"}}
    scores = StandardScorer(["accuracy", "macro_f1"]).score({"a": "x", "b": "x", "c": "x"}, answers)
    assert scores.slices["s"]["accuracy"] == 1.0 and scores.slices["t"]["accuracy"] == 0.0
    assert set(scores.metrics) == {"accuracy", "macro_f1"}


def test_perfect_and_flat_cases_are_finite():
    for name, metric in STANDARD.items():
        truth = [1.0, 1.0, 1.0] if metric.answers is Answers.NUMBER else ["a", "a", "a"]
        best = 1.0 if metric.higher_is_better else 0.0
        found = scored(name, truth, truth)
        assert found.metrics[name] == best and set(found.items[name].values()) == {best}, name
