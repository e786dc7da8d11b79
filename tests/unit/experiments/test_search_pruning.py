"""Progress that is no number, or stands at no step, ends nothing: neither the search nor a trial."""

import json
import threading

import pytest

from auto_benchmark.experiments.search.pruning import PruningWatch, _curve
from auto_benchmark.hypotheses.search.pruning import LEAST_PAST, MedianRule
from auto_benchmark.registry.solution import Pruning
from auto_benchmark.runners.runner import ProgressLine

DECLARED = Pruning(metric="fit", higher_is_better=True)
GOOD = '{"step": 1, "metrics": {"fit": 3.0}}'
HUGE = "9" * 400


@pytest.mark.parametrize(
    "line",
    [
        '{"step": 2, "metrics": {"fit": NaN}}',
        '{"step": 2, "metrics": {"fit": -Infinity}}',
        '{"step": Infinity, "metrics": {"fit": 1.0}}',
        '{"step": NaN, "metrics": {"fit": 1.0}}',
        '{"step": -1, "metrics": {"fit": 1.0}}',
        f'{{"step": 2, "metrics": {{"fit": {HUGE}}}}}',
        '{"step": 2, "metrics": [1]}',
        '{"step": 2, "metrics": null}',
        '{"step": 2}',
        "[2]",
        "3",
        "[" * 100_000,
        '{"step": 2, "metr',
    ],
)
def test_what_is_no_progress_is_left_out_of_a_curve(tmp_path, line):
    file = tmp_path / "progress.jsonl"
    file.write_text(f"{line}\n{GOOD}\n")
    assert _curve(file, "fit") == {1: 3.0}
    assert MedianRule(DECLARED, [_curve(file, "fit")] * LEAST_PAST).verdict(1, 1.0)


def test_a_trial_that_diverged_at_once_says_nothing(tmp_path):
    file = tmp_path / "progress.jsonl"
    file.write_text(json.dumps({"step": 1, "metrics": {"fit": float("nan")}}))
    assert _curve(file, "fit") == {}
    assert _curve(tmp_path / "gone.jsonl", "fit") == {}


def test_a_negative_step_is_passed_on_and_judged_by_nobody():
    stop, seen = threading.Event(), []
    watch = PruningWatch(MedianRule(DECLARED, [{1: 3.0}] * LEAST_PAST), stop, seen.append)
    watch(ProgressLine(-1, {"fit": 0.0}))
    assert not stop.is_set() and watch.reason == ""
    watch(ProgressLine(1, {"fit": 0.0}))
    assert stop.is_set() and watch.reason.startswith("pruned: fit 0 at step 1")
    assert [progress.step for progress in seen] == [-1, 1]
