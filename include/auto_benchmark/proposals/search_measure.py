"""Measures changed code on the search split: real trials, recorded and charged like those of the search."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from statistics import fmean

from auto_benchmark.agents.measure import Measured
from auto_benchmark.agents.workspace import Files, all_files, write_files
from auto_benchmark.artifacts import tree_store
from auto_benchmark.artifacts.code_tree import CodeChangedError
from auto_benchmark.contract.record import Trial, TrialPlan
from auto_benchmark.contract.trial import Stage, TrialState
from auto_benchmark.db.repositories import observations, trials
from auto_benchmark.experiments.search.rounds import BASE_SEEDS
from auto_benchmark.experiments.trials.examination import fault_of
from auto_benchmark.experiments.trials.planned import run_trials
from auto_benchmark.kinds import Purpose
from auto_benchmark.project.context import Context
from auto_benchmark.promotion.production import ProductionCandidate
from auto_benchmark.runners.runner import EnvironmentFaultError

QUICK, WHOLE = (1,), tuple(range(1, BASE_SEEDS + 1))
"""Seeds of a call of the measure command, and of the evaluation of an attempt. Trials are paired by them."""
MOST_SLICES = 8


@dataclass(frozen=True, slots=True)
class SearchScore:
    """What the search split says of some code.

    Attributes:
        score: mean over the seeds, as the board's metric has it; None where a trial has failed.
        slices: kind of question -> the same.
        reason: why there is no score.
    """

    score: float | None
    slices: Mapping[str, float]
    reason: str = ""

    def measured(self, *, higher_is_better: bool) -> Measured:
        """As an agent is told it."""
        if self.score is None:
            return Measured(False, None, self.reason)
        worst = sorted(self.slices.items(), key=lambda part: (part[1] if higher_is_better else -part[1], part[0]))
        parts = ", ".join(f"{name} {value:.4g}" for name, value in worst[:MOST_SLICES])
        return Measured(True, self.score, f"worst kinds of questions first: {parts}" if parts else "")


@dataclass(frozen=True, slots=True)
class SearchMeasure:
    """Measures code with the parameters of the configuration that experiments start from.

    Attributes:
        ctx: the project.
        base: that configuration.
        fixed: files of its code that no agent may change, whatever is declared as editable.
        metric: of the board that the loop works on.
        higher_is_better: its direction.
    """

    ctx: Context
    base: ProductionCandidate
    fixed: Files
    metric: str
    higher_is_better: bool

    def __call__(self, folder: Path) -> Measured:
        """One seed, for the measure command."""
        return self.score(self.keep(folder), QUICK).measured(higher_is_better=self.higher_is_better)

    def keep(self, folder: Path) -> str:
        """Store a folder's code, under the name of the solution's folder. Returns the tree's name."""
        return self.keep_files(all_files(folder).files)

    def keep_files(self, files: Files) -> str:
        """The same for files in memory."""
        root, name = self.ctx.bench.data.root, self.ctx.bench.solution.path.name
        with tree_store.draft(name, root) as folder:
            write_files(folder, {**files, **self.fixed})
            return tree_store.keep(folder, root)

    def score(self, tree: str, seeds: Sequence[int] = WHOLE) -> SearchScore:
        """Run what has not been run before, and read the scores; code that the doctor refuses has none, in its words."""
        try:
            if fault := self._fault(tree):
                return SearchScore(None, {}, fault)
            with self.ctx.sessions.begin() as session:
                plans = [self._plan(tree, seed) for seed in seeds]
                planned = trials.plan(session=session, project=self.ctx.project, plans=plans)
            ended = run_trials(self.ctx, [trial.id for trial in planned])
        except (CodeChangedError, EnvironmentFaultError) as error:
            return SearchScore(None, {}, str(error))
        return self._read(ended)

    def _fault(self, tree: str) -> str | None:
        at_home = (self.base.tree, self.base.params)
        return None if tree == self.base.tree else fault_of(self.ctx, (tree, self.base.params), at_home)

    def _plan(self, tree: str, seed: int) -> TrialPlan:
        solution = self.ctx.bench.solution.solution
        return TrialPlan(
            solution=solution.name, params=self.base.params, benchmark=self.ctx.bench.ref, stage=Stage.FAST, seed=seed,
            purpose=Purpose.SEARCH, budget_s=solution.resources.fast_budget_s, tree=tree,
        )  # fmt: skip

    def _read(self, ended: Sequence[Trial]) -> SearchScore:
        for trial in ended:
            if trial.state is TrialState.PLANNED:
                return SearchScore(None, {}, "not run: the project's budget or its switch for experiments forbids it")
            if trial.state is not TrialState.DONE:
                told = f"{trial.failure_class or trial.state}: {trial.message or 'no words'}"
                return SearchScore(None, {}, f"the trial with seed {trial.plan.seed} failed: {told}")
        ids = [trial.id for trial in ended]
        with self.ctx.sessions() as session:
            metrics = observations.metrics_of(session=session, trial_ids=ids)
            parts = observations.slices_of(session=session, trial_ids=ids)
        values = [metrics.get(trial_id, {}).get(self.metric, math.nan) for trial_id in ids]
        if not all(map(math.isfinite, values)):
            return SearchScore(None, {}, f"the scorer gave no {self.metric}")
        names = sorted({part for found in parts.values() for part, by in found.items() if self.metric in by})
        slices = {
            name: fmean(found[name][self.metric] for found in parts.values() if self.metric in found.get(name, {}))
            for name in names
        }
        return SearchScore(fmean(values), slices)
