"""From what a trial left to its scores. The trial never grades itself."""

from __future__ import annotations

import json
import logging
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any

from auto_benchmark.artifacts.trial_output import bad, check_tree, read_metrics, read_predictions
from auto_benchmark.contract.limits import LARGEST_NUMBER, LONGEST_NAME, storable
from auto_benchmark.contract.measured import MEASURED
from auto_benchmark.contract.scoring import Scores
from auto_benchmark.contract.trial import Stage
from auto_benchmark.project.bench import Bench, TrialSpec
from auto_benchmark.registry.slice_metrics import SLICE_GAP, WORST_SLICE

log = logging.getLogger(__name__)
SELF_REPORTED = "self_reported"
MOST_SCORES = 10_000
"""Metrics over all slices."""
MINIMUM_ITEMS = 30
"""Items of a slice from which on its score counts: the standard error of a share is at most sqrt(0.25 / 30) = 0.09 there.

The worst slice and the gap between slices are extremes, so noise alone pushes them apart, the smaller the slices the
further: of k equal slices of that size the expected gap is still 0.10 (two) to 0.25 (seven) at a share of one half. So
a gap is compared with production's on the same items, as guards do, and not with zero.
"""


def score_output(
    output: Path, spec: TrialSpec, bench: Bench, tree: Callable[[], Path]
) -> tuple[Scores | None, dict[str, float]]:
    """Score what a trial left; hidden predictions are only checked, since their answers are the arena's.

    Args:
        output: what it left.
        spec: which trial.
        bench: on which it ran.
        tree: finds a copy of the code that it ran, for a scorer that grades code.

    Returns:
        The scores, and the scored metrics beside the trial's own secondary ones. A metric that the scorer gives, or
        that is measured from outside, is never taken from the trial: a forged accuracy or time is dropped.

    Raises:
        OutputError: when the output is missing or malformed, or makes the scorer fail.
    """
    check_tree(output)
    guarded = set(bench.solution.solution.metrics.guarded_names)
    reported = {k: v for k, v in read_metrics(output, guarded=guarded).items() if k not in MEASURED}
    if bench.benchmark.benchmark.scorer == SELF_REPORTED:
        return None, reported
    if spec.stage is Stage.SUBMIT:
        read_predictions(output, input_ids(bench.view(spec)))
        return None, _secondary(reported, bench)
    answers = bench.data.answers(spec.stage.evaluates, spec.subset, spec.draw)
    if bench.data.tree_scorer() is not None:
        scores = score_tree(bench, tree(), answers, spec.seed)
    else:
        scores = score(bench, read_predictions(output, set(answers)), answers)
    return scores, {**_secondary(reported, bench), **scores.metrics}


def score(bench: Bench, predictions: Mapping[str, Any], answers: Mapping[str, Any]) -> Scores:
    """What the benchmark's scorer says, and what follows from it about the slices.

    Raises:
        OutputError: these predictions make the scorer fail or say nonsense.
    """
    scorer = bench.data.scorer()
    return _checked(bench, "these predictions", lambda: scorer.score(predictions, answers), answers)


def score_tree(bench: Bench, tree: Path, answers: Mapping[str, Any], seed: int) -> Scores:
    """The same of a benchmark that grades code.

    Raises:
        OutputError: the code is not fit to be graded; the message is the scorer's.
    """
    scorer = bench.data.tree_scorer()
    assert scorer is not None, "a benchmark whose scorer grades code"  # noqa: S101 - whoever calls has asked
    return _checked(bench, "this code", lambda: scorer.score_tree(tree, answers, seed), answers)


def _checked(bench: Bench, what: str, grade: Callable[[], Scores], answers: Mapping[str, Any]) -> Scores:
    try:
        scores = grade()
    except Exception as error:  # a scorer is the benchmark's code, and what it is given was written to harm it
        log.warning("the scorer of %s failed", bench.ref.name, exc_info=True)
        text = f"{type(error).__name__}: {' '.join(str(error).split())[:200]}"
        raise bad(f"the scorer of {bench.ref.name} fails on {what}: {text}") from None
    if problem := next(_nonsense(scores), None):
        raise bad(f"the scorer of {bench.ref.name}: {problem}")
    primary = bench.benchmark.benchmark.primary
    return with_fairness(scores, answers, primary.metric, higher_is_better=primary.higher_is_better)


def large_slices(answers: Mapping[str, Any]) -> set[str]:
    """Slices that hold enough items to be compared; arguments as for :func:`with_fairness`."""
    sizes = Counter(name for answer in answers.values() for name in _slices(answer))
    return {name for name, items in sizes.items() if items >= MINIMUM_ITEMS}


def with_fairness(scores: Scores, answers: Mapping[str, Any], metric: str, *, higher_is_better: bool) -> Scores:
    """Add ``worst_slice`` and ``slice_gap`` where at least two slices are large enough.

    Args:
        scores: with the primary metric of each slice.
        answers: item id -> answer; ``slice`` or ``slices`` in it names the parts that the item belongs to. A slice of
            the scorer that no answer names has no known size and does not count.
        metric: the benchmark's primary one.
        higher_is_better: its direction. ``worst_slice`` keeps its unit and direction; a lower ``slice_gap`` is better.

    Returns:
        The scores; what the scorer itself gives under these names stands.
    """
    large = large_slices(answers)
    values = [table[metric] for name, table in scores.slices.items() if name in large and metric in table]
    if len(values) < 2:
        return scores
    found = {WORST_SLICE: min(values) if higher_is_better else max(values), SLICE_GAP: max(values) - min(values)}
    return scores.model_copy(update={"metrics": found | scores.metrics})


def input_ids(view: Path) -> set[str]:
    """Ids of the items that a trial is asked about. Lines end at newlines alone, whatever else the texts hold."""
    lines = (view / "inputs.jsonl").read_bytes().split(b"\n")
    return {row["id"] for row in map(json.loads, filter(None, lines)) if "id" in row}


def _nonsense(scores: Scores) -> Iterator[str]:
    """Names that cannot be stored (a scorer may make them of answers) and numbers that cannot be computed with."""
    tables = {"": scores.metrics, **scores.slices}
    if sum(map(len, tables.values())) > MOST_SCORES:
        yield f"more than {MOST_SCORES} metrics"
    for name in {*tables, *scores.items, *(name for table in tables.values() for name in table)}:
        if len(name) > LONGEST_NAME or name != storable(name):
            yield f"{name[:80]!r} cannot be stored as a name"
    for table in (*tables.values(), *scores.items.values()):
        for name, value in table.items():
            if abs(value) > LARGEST_NUMBER:
                yield f"{name[:80]!r} is beyond {LARGEST_NUMBER:g}"


def _secondary(reported: Mapping[str, float], bench: Bench) -> dict[str, float]:
    return {name: value for name, value in reported.items() if name not in bench.scored_metrics}


def _slices(answer: object) -> set[str]:
    """Slices that an answer names; whatever else a benchmark keeps under these keys names none."""
    if not isinstance(answer, Mapping):
        return set()
    several = answer.get("slices")
    named = [answer.get("slice"), *(several if isinstance(several, list | tuple) else ())]
    return {name for name in named if isinstance(name, str)}
