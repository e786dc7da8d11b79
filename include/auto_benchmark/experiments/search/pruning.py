"""Watches the progress of search trials and stops those that are behind, where the solution declares ``pruning``."""

from __future__ import annotations

import json
import math
import threading
from collections.abc import Sequence
from pathlib import Path

from auto_benchmark.artifacts.trial_output import OutputError, read_bounded
from auto_benchmark.contract.record import Trial
from auto_benchmark.db.repositories import search_results
from auto_benchmark.hypotheses.search.pruning import MedianRule
from auto_benchmark.kinds import Purpose
from auto_benchmark.project.context import Context
from auto_benchmark.project.current_config import base_config
from auto_benchmark.runners.runner import OnProgress, ProgressLine

MOST_PAST = 200
LARGEST_CURVE_BYTES, LONGEST_LINE = 16 * 2**20, 65_536


class PruningWatch:
    """Passes progress on, and sets ``stop`` once the rule has spoken; ``reason`` says what it said."""

    def __init__(self, rule: MedianRule | None, stop: threading.Event, then: OnProgress) -> None:
        self.rule, self.stop, self.then = rule, stop, then
        self.reason = ""

    def __call__(self, progress: ProgressLine) -> None:
        """Take one report."""
        self.then(progress)
        if self.rule is None or self.reason or self.rule.declared.metric not in progress.metrics:
            return
        if progress.step < 0:  # no step of any curve: optuna refuses it
            return
        self.reason = self.rule.verdict(progress.step, progress.metrics[self.rule.declared.metric]) or ""
        if self.reason:
            self.stop.set()


def watch(ctx: Context, claimed: Sequence[Trial], stop: threading.Event, then: OnProgress) -> PruningWatch:
    """A watch over the process that runs ``claimed``; one that never stops it where nothing may be pruned.

    The base's own trials always go on to their end: they tell the search its noise.
    """
    declared = ctx.bench.solution.solution.pruning
    plan = claimed[0].plan
    if declared is None or plan.purpose != Purpose.SEARCH:
        return PruningWatch(None, stop, then)
    with ctx.sessions() as session:
        base = base_config(ctx, session).candidate
        folders = search_results.folders(
            session=session, project=ctx.project, solution=plan.solution, tree=plan.tree, benchmark=plan.benchmark,
            without=plan.config_hash, limit=MOST_PAST,
        )  # fmt: skip
    if (plan.params, plan.tree) == (base.params, base.tree):
        return PruningWatch(None, stop, then)
    past = [_curve(ctx.home / folder / "progress.jsonl", declared.metric) for folder in folders]
    return PruningWatch(MedianRule(declared, past), stop, then)


def _curve(file: Path, metric: str) -> dict[int, float]:
    """Step -> value; empty for a trial that reported none, or whose files are gone.

    The file is as the trial wrote it: one that is too large or a link tells nothing; what is not finite (a diverged
    loss) or stands at no step is left out.
    """
    found: dict[int, float] = {}
    try:
        lines = read_bounded(file, LARGEST_CURVE_BYTES).decode(errors="replace").split("\n")
    except OutputError:
        return found
    for line in lines:
        if len(line) > LONGEST_LINE:
            continue
        try:
            row = json.loads(line)
            step, value = int(row["step"]), float(row["metrics"][metric])
        except (ValueError, TypeError, KeyError, AttributeError, OverflowError, RecursionError):
            continue
        if step >= 0 and math.isfinite(value):
            found[step] = value
    return found
