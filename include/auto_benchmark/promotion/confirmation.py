"""Before a winner takes its role: fresh seeds may refute it, and say what it is really worth.

A score that won a selection is too high on average (winner's curse). Seeds that no test has seen are free of that
selection, so their mean and interval go into the registry, and they become the first trials of the new control.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from scipy import stats

from auto_benchmark.errors import InputError
from auto_benchmark.promotion.criteria.improvement import improvement
from auto_benchmark.promotion.criteria.reproducibility import failing, reproducibility
from auto_benchmark.promotion.measurement import measure
from auto_benchmark.promotion.schema import Decision, Evidence, Failures, Noise, Observation

FRESH_SEEDS = 3
"""Planned for a winner."""
LEAST_FRESH_SEEDS = 3


@dataclass(frozen=True, slots=True)
class Confirmation:
    """Claimed against confirmed.

    Attributes:
        score: mean of the fresh trials, the registry's new score.
        score_interval: 95 % interval of that mean over seeds and items.
        claimed: improvement at the decision.
        confirmed: improvement of the fresh trials over the same control.
        interval: 95 % interval of ``confirmed``; with ``board_items`` of the change on another board's items.
        n: fresh trials.
        holds: the confirmed improvement is above zero with one-sided 95 % confidence.
        sentence: for the log.
    """

    score: float
    score_interval: tuple[float, float]
    claimed: float
    confirmed: float
    interval: tuple[float, float]
    n: int
    holds: bool
    sentence: str


def confirm(
    evidence: Evidence,
    decision: Decision,
    fresh: Sequence[Observation],
    *,
    control: Sequence[Observation] | None = None,
    board_items: int | None = None,
    board_trials: int | None = None,
) -> Confirmation:
    """Re-estimate a promoted candidate.

    Args:
        evidence: what the promotion rested on.
        decision: the promotion.
        fresh: trials on seeds that are not among the evidence's candidate seeds.
        control: production trials to compare with, best ones that ran after the decision: a control whose bad luck
            helped the winner keeps part of the winner's curse. The evidence's own control when absent.
        board_items: items of another evaluation (a hidden split of the board) whose change is to be covered: its own
            item noise is added to the interval.
        board_trials: trials per side behind that change (1: two submissions); their noise between seeds is added too.

    Raises:
        InputError: too few fresh trials, or a seed that the test has already used.
    """
    reused = {t.seed for t in fresh} & {t.seed for t in evidence.candidate}
    if reused:
        raise InputError(f"seed {min(reused)} was used by the test; a confirmation needs fresh seeds")
    against = list(control) if control is not None else evidence.control
    if len(fresh) < LEAST_FRESH_SEEDS or not against:
        raise InputError(f"a confirmation needs {LEAST_FRESH_SEEDS} fresh trials and a control, {len(fresh)} given")
    noise = evidence.noise or _noise_of_the_test(evidence)
    measured = measure(evidence.model_copy(update={"candidate": list(fresh), "control": against, "noise": noise}))
    if measured.pool is None:
        raise InputError("neither the fresh trials nor the control vary, so the confirmation has no interval")
    elsewhere = measured.items.variance_at(board_items) if measured.items and board_items else 0.0
    if board_trials:
        elsewhere += (measured.candidate_variance + measured.pool.sd**2) / board_trials
    confirmed, error = measured.improvement, math.sqrt(measured.variance + elsewhere)
    half = float(stats.t.ppf(0.975, measured.pool.df)) * error
    score = float(np.mean(measured.ours))
    score_half = float(stats.t.ppf(0.975, measured.pool.df)) * math.sqrt(
        measured.candidate_variance / measured.n + measured.own_items
    )
    claimed = decision.estimate if decision.estimate is not None else math.nan
    if not math.isfinite(claimed):
        raise InputError("the decision has no estimate, there is nothing to confirm")
    holds = confirmed - float(stats.t.ppf(0.95, measured.pool.df)) * math.sqrt(measured.variance) > 0
    low, high = confirmed - half, confirmed + half
    sentence = (
        f"claimed {claimed:+.4g}, confirmed {confirmed:+.4g} (95 % interval {low:+.4g} to {high:+.4g}) "
        f"on {measured.n} fresh seeds: {'holds' if holds else 'not confirmed'}"
    )
    return Confirmation(
        score, (score - score_half, score + score_half), claimed, confirmed, (low, high), measured.n, holds, sentence
    )


def refuted(evidence: Evidence, fresh: Sequence[Observation], failures: Failures) -> str | None:
    """Why fresh seeds take a promotion back; None where they bear it out.

    A few lucky seeds of a configuration that is good now and then pass any test with some probability; seeds that had no
    part in it tell. They have to be better than the control on average; with all seeds of the test together the
    improvement and the reproducibility must still hold; and no more of them may fail than of production's.

    Args:
        evidence: what the promotion rested on.
        fresh: trials on seeds that are not among the evidence's.
        failures: of all fresh seeds.

    Raises:
        InputError: too few fresh trials ended to tell.
    """
    theirs = evidence.control_failures or Failures(seeds=0, failed=0)
    failed = failing(evidence.model_copy(update={"candidate_failures": failures, "control_failures": theirs}))
    if failed is not None:
        return f"of the fresh seeds: {failed.row.reason}"
    if len(fresh) < LEAST_FRESH_SEEDS:
        raise InputError(f"{len(fresh)} of at least {LEAST_FRESH_SEEDS} fresh seeds have a score")
    alone = measure(evidence.model_copy(update={"candidate": list(fresh)}))
    if alone.improvement <= 0:
        return f"{alone.n} fresh seeds are no better than the control ({alone.improvement:+.4g})"
    together = evidence.model_copy(update={"candidate": [*evidence.candidate, *fresh]})
    measured = measure(together)
    for found in (improvement(measured, None, together), reproducibility(measured)):
        if not found.row.passed:
            return f"with {alone.n} fresh seeds {found.row.name} fails: {found.row.reason}"
    return None


def _noise_of_the_test(evidence: Evidence) -> Noise | None:
    """Pool of the trials that the test used, so that three fresh seeds are not judged by their own spread alone."""
    if not evidence.candidate:
        return None
    pool = measure(evidence).pool
    return Noise(sd=pool.sd, df=pool.df) if pool else None
