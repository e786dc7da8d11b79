"""Finished runs side by side: tasks x agents, arms, and what can be inferred over tasks. Pure functions of their results."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from statistics import fmean, stdev
from typing import Any

from auto_benchmark.lab.plan import Feedback
from auto_benchmark.lab.resilience import LEAST_GAIN, Rewards, area
from auto_benchmark.stats.applicability import NotApplicableError
from auto_benchmark.stats.intervals import t_interval
from auto_benchmark.stats.paired import sign_flip

FEWEST_TASKS = 2


def medal_of(reward: float) -> str:
    """Gold from the stretch on, silver from the reference on, bronze for what is better than the given program."""
    steps = ((1.0, "gold"), (0.5, "silver"), (LEAST_GAIN, "bronze"))
    return next((name for least, name in steps if reward >= least), "")


@dataclass(frozen=True, slots=True)
class FinishedRun:
    """One finished run.

    Attributes:
        task: name of the task.
        agent: as a person wrote it.
        arm: its feedback.
        attempts: that it might have made.
        shock: number of the attempt whose verdict was given as invalid.
        result: what ``lab run --json`` printed.
        minutes: that it might have taken, and ``measures``: calls of the measure command that it might have made.
    """

    task: str
    agent: str
    arm: Feedback
    attempts: int
    shock: int | None
    result: dict[str, Any]
    minutes: float = 0.0
    measures: int = 0

    @property
    def budget(self) -> str:
        """What it was given, in words."""
        return f"{self.attempts} attempts, {self.measures} measures, {self.minutes:g} min"

    @property
    def rewards(self) -> Rewards:
        """Of each attempt; None where it was not valid."""
        return [row["reward"] if row["valid"] else None for row in self.result["attempts"]]

    @property
    def area(self) -> float:
        """Mean of the best so far."""
        return area(self.rewards, self.attempts)

    @property
    def one_shot(self) -> float:
        """Reward of the first attempt."""
        return (self.rewards[0] or 0.0) if self.rewards else 0.0


@dataclass(frozen=True, slots=True)
class Cell:
    """What one agent's runs on one task brought in one arm.

    Attributes:
        runs: how many.
        reward: mean of the results' rewards, and their standard deviation; None for a single run.
        area: mean area under the best so far.
        one_shot: mean reward of first attempts.
        recovery: mean share of failures that a new best followed, less what is expected; None where nothing failed.
        shock_attempts: mean attempts to regain what there was before a shock, of the runs that did.
        pivots: changes of direction after three attempts without a new best, over all runs.
        pivot_distance: mean share of lines in which they differ from the best before; None without any.
        pivot_gain: mean reward that they brought over the best before.
        budgets: what its runs were given: only cells that were given the same are compared.
    """

    task: str
    agent: str
    arm: Feedback
    runs: int
    reward: float
    std: float | None
    area: float
    one_shot: float
    recovery: float | None
    shock_attempts: float | None
    pivots: int = 0
    pivot_distance: float | None = None
    pivot_gain: float | None = None
    budgets: tuple[str, ...] = ()

    @property
    def medal(self) -> str:
        """Of the mean reward."""
        return medal_of(self.reward)


@dataclass(frozen=True, slots=True)
class Inference:
    """Sign-flip test over tasks of one agent's closed-loop gain.

    Attributes:
        agent: whose.
        against: the other arm.
        tasks: how many.
        gain: mean over tasks of the area with true feedback, less that of the other arm.
        p: two-sided; None where no test is possible.
        attainable: the smallest p that so many tasks can give.
        reason: why there is no test.
        interval: Student's 95 % of the mean gain; None where there is none.
        unequal: tasks that are left out because the arms were given different budgets.
    """

    agent: str
    against: Feedback
    tasks: int
    gain: float
    p: float | None
    attainable: float | None
    reason: str
    interval: tuple[float, float] | None = None
    unequal: tuple[str, ...] = ()


def cells(runs: Sequence[FinishedRun]) -> list[Cell]:
    """One cell for each task, agent and arm that has runs; shocked runs count for their shock alone."""
    keys = sorted({(run.task, run.agent, run.arm) for run in runs})
    return [_cell(*key, [r for r in runs if (r.task, r.agent, r.arm) == key]) for key in keys]


def inferences(found: Sequence[Cell]) -> list[Inference]:
    """For each agent: true feedback against each other arm, over the tasks that have both."""
    agents = sorted({cell.agent for cell in found})
    pairs = ((agent, arm) for agent in agents for arm in (Feedback.SHAM, Feedback.NONE))
    told = (_inference(agent, arm, found) for agent, arm in pairs)
    return [each for each in told if each.tasks or each.unequal]


def mean_curve(curves: Sequence[Sequence[float]], attempts: int) -> list[float]:
    """Mean over runs of the best so far, each held at its last value; shape (attempts,)."""
    held = [[*curve, *[curve[-1] if curve else 0.0] * (attempts - len(curve))] for curve in curves]
    return [fmean(values) for values in zip(*held, strict=True)]


def _cell(task: str, agent: str, arm: Feedback, all_runs: list[FinishedRun]) -> Cell:
    runs = [run for run in all_runs if run.shock is None] or all_runs
    rewards = [float(run.result["reward"]) for run in runs]
    pivots = [pivot for run in runs for pivot in run.result["resilience"]["pivots"]]
    return Cell(
        task, agent, arm, len(runs), fmean(rewards), stdev(rewards) if len(rewards) > 1 else None,
        fmean(run.area for run in runs), fmean(run.one_shot for run in runs),
        _mean(_over_chance(run) for run in runs),
        _mean(run.result["resilience"]["shock_attempts"] for run in all_runs),
        len(pivots), _mean(pivot["distance"] for pivot in pivots), _mean(pivot["gain"] for pivot in pivots),
        tuple(sorted({run.budget for run in runs})),
    )  # fmt: skip


def _over_chance(run: FinishedRun) -> float | None:
    told = run.result["resilience"]
    if told["recovery"] is None or told["recovery_expected"] is None:
        return None
    return float(told["recovery"] - told["recovery_expected"])


def _mean(values: Iterable[float | None]) -> float | None:
    known = [value for value in values if value is not None]
    return fmean(known) if known else None


def _inference(agent: str, against: Feedback, found: Sequence[Cell]) -> Inference:
    mine = [cell for cell in found if cell.agent == agent]
    true = {cell.task: cell for cell in mine if cell.arm is Feedback.TRUE}
    other = {cell.task: cell for cell in mine if cell.arm is against}
    both = sorted(true.keys() & other.keys())
    fair = [task for task in both if true[task].budgets == other[task].budgets]
    unequal = tuple(task for task in both if task not in fair)
    gains = [true[task].area - other[task].area for task in fair]
    gain = fmean(gains) if gains else 0.0
    try:
        test = sign_flip(gains, scale=1.0, minimum=FEWEST_TASKS)
    except NotApplicableError as error:
        return Inference(agent, against, len(gains), gain, None, None, str(error), _interval(gains), unequal)
    return Inference(agent, against, len(gains), gain, test.p, test.attainable, "", _interval(gains), unequal)


def _interval(gains: Sequence[float]) -> tuple[float, float] | None:
    try:
        return t_interval(gains)
    except NotApplicableError:
        return None
