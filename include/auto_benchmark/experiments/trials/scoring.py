"""From what a trial left to its scores. The trial never grades itself."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path

from auto_benchmark.artifacts.trial_output import read_metrics, read_predictions
from auto_benchmark.contract.scoring import Scores
from auto_benchmark.contract.trial import Stage
from auto_benchmark.project.bench import Bench, TrialSpec

SELF_REPORTED = "self_reported"


def score_output(output: Path, spec: TrialSpec, bench: Bench) -> tuple[Scores | None, dict[str, float]]:
    """Score what a trial left; hidden predictions are only checked, since their answers are the arena's.

    Returns:
        The scores, and the scored metrics beside the trial's own secondary ones. A metric that a board ranks by is
        never taken from the trial: a forged accuracy is dropped.

    Raises:
        OutputError: when the output is missing or malformed.
    """
    reported = read_metrics(output)
    if bench.benchmark.benchmark.scorer == SELF_REPORTED:
        return None, reported
    if spec.stage is Stage.SUBMIT:
        read_predictions(output, input_ids(bench.view(spec)))
        return None, _secondary(reported, bench)
    answers = bench.data.answers(spec.stage.evaluates, spec.subset)
    predictions = read_predictions(output, set(answers))
    scores = bench.data.scorer().score(predictions, answers)
    return scores, {**_secondary(reported, bench), **scores.metrics}


def input_ids(view: Path) -> set[str]:
    """Ids of the items that a trial is asked about."""
    lines = (view / "inputs.jsonl").read_text(encoding="utf-8").splitlines()
    return {row["id"] for row in map(json.loads, lines) if "id" in row}


def _secondary(reported: Mapping[str, float], bench: Bench) -> dict[str, float]:
    return {name: value for name, value in reported.items() if name not in bench.ranked_metrics}
