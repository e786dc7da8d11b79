"""The default gate: the guarded sequential test against production's defense trials; alone or under alpha wealth."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from auto_benchmark.stats.alpha_wealth import FALSE_SHARE, INITIAL_SHARE, LordStreams
from auto_benchmark.stats.applicability import Array
from auto_benchmark.stats.looks import CAP, LOOKS, PROMOTE_FROM
from auto_benchmark.stats.noise import guarded_variance
from auto_benchmark.stats.simulation.stream import Ledger, Mask, Stream
from auto_benchmark.stats.sprt import SequentialDesign, is_futile, p_value


@dataclass(slots=True)
class Control:
    """Production's trials per stream as sums, and production's true standard deviation."""

    count: Array
    total: Array
    squares: Array
    sd: Array

    @classmethod
    def fresh(cls, stream: Stream, trials: int, sd: Array) -> Control:
        """As many new trials per stream of a production with this standard deviation and mean 0."""
        scores = stream.noise(trials) * sd[:, None]
        return cls(np.full(stream.streams, float(trials)), scores.sum(axis=1), (scores**2).sum(axis=1), sd)

    def add(self, scores: Array) -> None:
        """Add trials, shape (streams, trials)."""
        self.count += scores.shape[1]
        self.total += scores.sum(axis=1)
        self.squares += (scores**2).sum(axis=1)

    def replace(self, where: Mask, other: Control) -> None:
        """Take another production's trials in some of the streams."""
        for name in ("count", "total", "squares", "sd"):
            setattr(self, name, np.where(where, getattr(other, name), getattr(self, name)))

    def variance(self) -> Array:
        """Sample variance of one trial."""
        spread = self.squares - self.total**2 / self.count
        return np.maximum(spread, 0.0) / np.maximum(self.count - 1, 1.0)


def sequential_test(
    scores: Array,
    control: Control,
    *,
    assumed_sd: float,
    item_variance: float,
    level: Any,
    threshold: float = 0.0,
    least: float = 0.0,
) -> tuple[Mask, Array, Array]:
    """Look at 1, 3, 5, 8 and 12 seeds until decided.

    Args:
        scores: of the candidates, shape (streams, 12), relative to production's mean.
        control: production's trials.
        assumed_sd: what the gate believes the standard deviation of a trial to be.
        item_variance: of the difference of means, which seeds do not reduce.
        level: one-sided, of one hypothesis or of each stream.
        threshold: the promotion threshold, of which the test's alternative is made.
        least: estimate that a promotion needs beside significance.

    Returns:
        promoted, seeds used and estimate at the decision, each of shape (streams,).
    """
    design, streams = SequentialDesign(), len(scores)
    pool = assumed_sd**2
    mean = control.total / control.count
    noise_of_control = guarded_variance(pool, control.variance(), 2, widen=False) / control.count
    effect = design.effect(assumed_sd, control.count, item_variance=item_variance, threshold=threshold)
    promoted, seeds, estimates = np.zeros(streams, bool), np.zeros(streams), np.zeros(streams)
    levels = np.broadcast_to(np.asarray(level, np.float64), (streams,))
    sums, squares = scores.cumsum(axis=1), (scores**2).cumsum(axis=1)
    still = np.arange(streams)
    for n in LOOKS:
        total = sums[still, n - 1]
        own = np.maximum(squares[still, n - 1] - total**2 / n, 0.0) / max(n - 1, 1)
        estimate = total / n - mean[still]
        variance = guarded_variance(pool, own, n) / n + noise_of_control[still] + item_variance
        wins = (p_value(estimate, variance, effect[still], n, design) <= levels[still]) & (estimate >= least)
        stops = wins | (n == CAP) | is_futile(estimate, variance, effect[still], design, levels[still])
        done = still[stops]
        promoted[done], seeds[done], estimates[done] = wins[stops], n, estimate[stops]
        still = still[~stops]
        if still.size == 0:
            break
    return promoted, seeds, estimates


def _run(stream: Stream, level: Callable[[int], Any], record: Callable[[int, Mask], None]) -> Ledger:
    scenario, ledger = stream.scenario, Ledger(stream)
    fresh_trials = max(scenario.control_runs, PROMOTE_FROM)
    control = Control.fresh(stream, max(scenario.control_runs, 1), np.ones(stream.streams))
    ledger.trials += max(scenario.control_runs, 1)
    candidate_sd = np.full(stream.streams, scenario.candidate_sd)
    for h in range(scenario.hypotheses):
        scores, _ = stream.candidate(h, CAP)
        promoted, seeds, claimed = sequential_test(
            scores,
            control,
            assumed_sd=scenario.assumed_sd,
            item_variance=scenario.item_sd**2,
            level=level(h),
        )
        record(h, promoted)
        ledger.promote(h, promoted, claimed)
        ledger.trials += seeds + np.where(promoted, fresh_trials, scenario.defense_runs)
        if scenario.defense_runs:
            control.add(stream.noise(scenario.defense_runs) * control.sd[:, None])
        # a winner's own trials were selected; fresh seeds re-estimate it and become the new control
        control.replace(promoted, Control.fresh(stream, fresh_trials, candidate_sd))
    return ledger


def sequential(stream: Stream) -> Ledger:
    """Every hypothesis at the design's own level."""
    return _run(stream, lambda _: SequentialDesign().alpha, lambda _h, _p: None)


def sequential_wealth(stream: Stream) -> Ledger:
    """Levels from LORD++ alpha wealth, credited by every promotion."""
    purse = LordStreams(stream.streams, stream.scenario.hypotheses)
    return _run(stream, purse.level, purse.record)


def sequential_shares(stream: Stream, sources: Sequence[str], parts: Mapping[str, float]) -> Ledger:
    """Levels from alpha wealth of which each source has its part.

    Args:
        stream: of hypotheses.
        sources: whose each hypothesis is.
        parts: source -> its part of one.
    """
    purses = {
        source: LordStreams(
            stream.streams, sources.count(source), FALSE_SHARE * part, FALSE_SHARE * INITIAL_SHARE * part
        )
        for source, part in parts.items()
        if source in sources
    }
    place = [sources[:h].count(source) for h, source in enumerate(sources)]
    return _run(
        stream, lambda h: purses[sources[h]].level(place[h]), lambda h, won: purses[sources[h]].record(place[h], won)
    )
