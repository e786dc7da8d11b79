"""Fairness metrics: the worst slice and the gap between slices, of slices that are large enough."""

import pytest
from tests.unit.promotion.evidence import CONTROL, GOOD, evidence, row, trials

from auto_benchmark.contract.scoring import Scores
from auto_benchmark.contract.standard_scoring import StandardScorer
from auto_benchmark.experiments.trials.scoring import MINIMUM_ITEMS, with_fairness
from auto_benchmark.promotion.gate import decide
from auto_benchmark.promotion.schema import Verdict
from auto_benchmark.registry.benchmark import Benchmark
from auto_benchmark.registry.guard import SolutionMetrics

N = MINIMUM_ITEMS
DECLARED = {
    "name": "mine", "version": "1", "task": "Say which", "scorer": "accuracy", "secondary": ["slice_gap"],
    "boards": {"Board": {"metric": "accuracy", "higher_is_better": True}},
    "splits": {name: {"items": f"{name}.jsonl"} for name in ("train", "search", "gate")},
}  # fmt: skip


def scored(parts, metric="accuracy", *, higher=True, key="slice"):
    """Score ``parts``: slice -> (items, how many of them are right, or how far each number is off)."""
    answers, predictions = {}, {}
    for name, (items, right) in parts.items():
        for i in range(items):
            answers[f"{name}{i}"] = {"answer": 1, **({} if name is None else {"slice": name})}
            predictions[f"{name}{i}"] = 1 + right if metric == "mae" else int(i < right)
    scores = StandardScorer([metric]).score(predictions, answers)
    if key == "slices":
        answers = {item: {"answer": 1, "slices": ["all", answer["slice"]]} for item, answer in answers.items()}
    return with_fairness(scores, answers, metric, higher_is_better=higher).metrics


@pytest.mark.parametrize("key", ["slice", "slices"])
def test_the_worst_slice_and_the_gap_between_slices(key):
    found = scored({"de": (40, 30), "en": (40, 36), "fr": (50, 40)}, key=key)
    assert found == {"accuracy": pytest.approx(106 / 130), "worst_slice": 0.75, "slice_gap": pytest.approx(0.15)}


def test_of_an_error_the_worst_slice_is_the_largest():
    found = scored({"de": (N, 0.5), "en": (N, 2.0)}, "mae", higher=False)
    assert (found["worst_slice"], found["slice_gap"]) == (2.0, 1.5)


def test_a_small_slice_does_not_count():
    parts = {"de": (40, 30), "en": (40, 36), "fr": (N - 1, 0)}
    assert scored(parts)["slice_gap"] == pytest.approx(0.15)
    assert scored({**parts, "fr": (N, 0)})["worst_slice"] == 0


@pytest.mark.parametrize("parts", [{None: (100, 50)}, {"de": (100, 50)}, {"de": (100, 50), "en": (N - 1, 0)}])
def test_without_two_large_slices_there_are_no_such_metrics(parts):
    assert set(scored(parts)) == {"accuracy"}


def test_answers_of_another_shape_and_a_scorers_own_value():
    scores = Scores(metrics={"a": 0.5, "slice_gap": 0.9}, slices={"x": {"a": 0.4}, "y": {"a": 0.6, "b": 1.0}})
    sized = {str(i): {"slices": ["x", "y", 3]} for i in range(N)}
    assert with_fairness(scores, sized, "a", higher_is_better=True).metrics == {
        "a": 0.5, "slice_gap": 0.9, "worst_slice": 0.4,
    }  # fmt: skip
    for odd in ("text", {"slices": "x"}, {"slices": {"x": 1}}, None):
        assert with_fairness(scores, dict.fromkeys(sized, odd), "a", higher_is_better=True) == scores
    assert with_fairness(scores, sized, "b", higher_is_better=True) == scores


def test_a_benchmark_knows_their_directions_and_the_standard_scorer_does_not_compute_them():
    benchmark = Benchmark.model_validate(DECLARED)
    assert (benchmark.standard_metrics, list(benchmark.problems())) == (("accuracy",), [])
    assert (benchmark.directions["worst_slice"], benchmark.directions["slice_gap"]) == (True, False)
    error = {"Board": {"metric": "mae", "higher_is_better": False}}
    assert Benchmark.model_validate({**DECLARED, "boards": error}).directions["worst_slice"] is False
    wrong = {**DECLARED, "secondary": [{"name": "slice_gap", "higher_is_better": True}]}
    assert list(Benchmark.model_validate(wrong).problems()) == [
        (("secondary", 0, "higher_is_better"), "slice_gap counts down")
    ]


@pytest.mark.parametrize(("gap", "verdict"), [(0.05, Verdict.PROMOTE), (0.12, Verdict.REJECT)])
def test_a_guard_keeps_a_promotion_from_widening_the_gap(gap, verdict):
    """The candidate is better over all; its gap stays, or grows from 0.05 to 0.12."""
    declared = SolutionMetrics.model_validate({"guards": [{"name": "slice_gap", "within": 0.1, "absolute": 0.02}]})
    theirs = [0.05 + 0.001 * (i % 3 - 1) for i in range(len(CONTROL))]
    ours = [gap + 0.001 * (i - 1) for i in range(len(GOOD))]
    given = evidence(
        GOOD, candidate=trials(GOOD, 100, slice_gap=ours), control=trials(CONTROL, slice_gap=theirs),
    )  # fmt: skip
    decision = decide(given, guards=declared.guarded(Benchmark.model_validate(DECLARED).directions))
    assert decision.verdict is verdict, decision.reason
    assert row(decision, "no_regression").reason.startswith("slice_gap: ")
