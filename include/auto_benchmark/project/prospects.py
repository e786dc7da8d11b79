"""What the gate can show on each board of each project, before a trial is spent; from files alone."""

from __future__ import annotations

import contextlib
import math
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from functools import cache
from typing import Any

from auto_benchmark.artifacts.benchmark_data import SELF_REPORTED, BenchmarkData
from auto_benchmark.artifacts.split_seeds import PUBLISHED
from auto_benchmark.artifacts.stored_trials import StoredTrial, stored_trials
from auto_benchmark.errors import AutoBenchmarkError
from auto_benchmark.hypotheses.search.rounds import LIMITS, MOST_EXPERIMENTS
from auto_benchmark.project.board_benchmarks import metric_for
from auto_benchmark.project.configuration import ProjectConfig, load_project, project_names
from auto_benchmark.promotion.measurement import measure
from auto_benchmark.promotion.prospect import Prospect, prospect
from auto_benchmark.promotion.schema import Evidence, Observation
from auto_benchmark.registry.benchmark import Benchmark, BoardMetric
from auto_benchmark.registry.leaderboard import Leaderboard
from auto_benchmark.registry.schedule import Budget
from auto_benchmark.registry.standard_metrics import STANDARD, Answers
from auto_benchmark.settings import Settings
from auto_benchmark.stats.applicability import NotApplicableError
from auto_benchmark.stats.noise import pooled
from auto_benchmark.stats.simulation.night import Night
from auto_benchmark.stats.simulation.scenario import REFERENCE_SD

USUAL_DISCORDANCE = 0.05
"""Share of right/wrong items on which two configurations persistently differ, where no trials say it."""
BEFORE_GATE = sum(LIMITS) + 2
"""Trials of a hypothesis before the gate: a whole search, and the validation of candidate and base."""
EFFECTS = (
    "60 % of hypotheses change nothing, 15 % gain 0.5 to 2.5 times the threshold (or the noise between seeds, if larger), "
    "25 % lose 0.5 to 3 times it"
)


@dataclass(frozen=True, slots=True)
class _Noise:
    """Of one trial between seeds, and of a difference of means by items, in the metric's unit."""

    sd: float
    item_variance: float
    items: int | None
    told: list[str]


def prospects(settings: Settings) -> list[Prospect]:
    """One prediction per measured board of every project, in the registry's order; projects with faults have none."""
    found: list[Prospect] = []
    for name in project_names(settings):
        with contextlib.suppress(AutoBenchmarkError):
            found += _of_project(settings, load_project(settings, name))
    return found


def usual_night(budget: Budget, wall_s: float | None = None) -> Night:
    """What a night tests and pays, on a board whose noise and threshold are still to be filled in.

    Args:
        budget: of a day; its trials and hours count, its money does not.
        wall_s: duration of a trial; where it is not known, the number of trials alone is the limit.
    """
    by_time = math.inf if not wall_s else budget.hours * 3600 / wall_s
    trials = int(min(budget.trials, by_time))
    return Night(sd=1.0, threshold=0.0, hypotheses=MOST_EXPERIMENTS, trials=trials, before=BEFORE_GATE)


def _of_project(settings: Settings, config: ProjectConfig) -> Iterator[Prospect]:
    benchmark = config.benchmark
    trials = stored_trials(settings.project_home(config.name) / "experiments" / "results", benchmark.benchmark.name)
    walls = [trial.wall_s for trial in trials if trial.wall_s is not None]
    wall_s = sum(walls) / len(walls) if walls else None
    gate_items = cache(lambda: BenchmarkData(benchmark.path, settings.root, PUBLISHED).item_count("gate"))
    for board in config.registry.target_leaderboards:
        metric = metric_for(benchmark.benchmark, board)
        elsewhere = board.benchmark not in {None, benchmark.benchmark.name}
        if metric is None or elsewhere:
            continue
        yield _of_board(config, board, metric, trials, wall_s, gate_items)


def _of_board(
    config: ProjectConfig,
    board: Leaderboard,
    metric: BoardMetric,
    trials: list[StoredTrial],
    wall_s: float | None,
    gate_items: Callable[[], int],
) -> Prospect:
    threshold = config.registry.promotion_threshold(board)
    common: dict[str, Any] = {"project": config.name, "board": board.name, "metric": metric.metric}
    try:
        noise = _measured(trials, metric, threshold) or _assumed(config.benchmark.benchmark, metric, gate_items)
    except (NotApplicableError, AutoBenchmarkError) as error:
        return Prospect(**common, threshold=threshold, unknown=str(error))
    plan = usual_night(config.schedule.budget, wall_s)
    night = replace(plan, sd=noise.sd, threshold=threshold, item_variance=noise.item_variance)
    length = f"{wall_s:.3g} s a trial, as stored" if wall_s else "trials short enough for the budget's hours"
    assumptions = [
        *noise.told,
        EFFECTS,
        f"{night.control} trials of production",
        f"{night.hypotheses} hypotheses a night, {night.before} trials each before the gate; {length}",
    ]
    return prospect(night, **common, items=noise.items, assumptions=assumptions)


def _measured(trials: list[StoredTrial], metric: BoardMetric, threshold: float) -> _Noise | None:
    """From stored trials on the newest data; None while no configuration has two seeds."""
    groups: dict[str, dict[int, StoredTrial]] = {}
    for trial in trials:
        if trial.data == trials[0].data and metric.metric in trial.metrics:
            groups.setdefault(trial.configuration, {}).setdefault(trial.seed, trial)
    several = [list(group.values()) for group in groups.values() if len(group) > 1]
    if not several:
        return None
    noise = pooled([[trial.metrics[metric.metric] for trial in group] for group in several])
    told = [f"noise between seeds of {sum(map(len, several))} stored trials (df {noise.df})"]
    sides = [[_observation(trial, metric.metric) for trial in group[:5]] for group in several[:2]]
    found = None
    if len(sides) == 2:
        found = measure(
            Evidence(
                metric=metric.metric,
                higher_is_better=metric.higher_is_better,
                promotion_threshold=threshold,
                candidate=sides[0],
                control=sides[1],
            )
        ).items
    if found is not None:
        told.append(f"item noise of two configurations on {found.items} items, as stored")
        return _Noise(noise.sd, found.variance, found.items, told)
    count = len(sides[0][0].items or {}) or None
    if count and (unit := _share_unit(metric)):
        told.append(f"{USUAL_DISCORDANCE:.0%} of the items differ between configurations (usual value)")
        return _Noise(noise.sd, USUAL_DISCORDANCE * unit**2 / count, count, told)
    told.append("no item noise: no two stored configurations have results per item")
    return _Noise(noise.sd, 0.0, count, told)


def _observation(trial: StoredTrial, metric: str) -> Observation:
    return Observation(seed=trial.seed, metrics=trial.metrics, items=trial.items(metric) or None)


def _assumed(benchmark: Benchmark, metric: BoardMetric, gate_items: Callable[[], int]) -> _Noise:
    """The usual noise of a share over the declared items, before there are two stored seeds.

    Raises:
        NotApplicableError: the metric is no share, so that nothing is known of its noise.
        InputError: the items cannot be made.
    """
    unit = _share_unit(metric)
    if unit is None:
        text = f"{metric.metric} is not a share, and no two seeds of a configuration are stored: its noise is unknown"
        raise NotApplicableError(text)
    told = [f"noise between seeds {REFERENCE_SD * unit:g}, a usual value: no two seeds of a configuration are stored"]
    if benchmark.scorer == SELF_REPORTED:
        return _Noise(REFERENCE_SD * unit, 0.0, None, [*told, "no item noise: scores are self-reported"])
    items = gate_items()
    told.append(f"{USUAL_DISCORDANCE:.0%} of the items differ between configurations (usual value)")
    return _Noise(REFERENCE_SD * unit, USUAL_DISCORDANCE * unit**2 / items, items, told)


def _share_unit(metric: BoardMetric) -> float | None:
    """1 for a share and 100 for a percentage; None for amounts. What is no standard metric and counts up is a share."""
    standard = STANDARD.get(metric.metric)
    if metric.unit is None and (not metric.higher_is_better or (standard and standard.answers is Answers.NUMBER)):
        return None
    return 100.0 if metric.unit == "percent" else 1.0
