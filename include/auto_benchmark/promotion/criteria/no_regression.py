"""Criterion 3: no guarded metric and no other board of the project gets worse than its margin, with confidence."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from auto_benchmark.contract.measured import CPU, CPU_AT_MOST, WALL, MetricSource, shown_name
from auto_benchmark.promotion.criteria.result import CriterionResult, plain
from auto_benchmark.promotion.guarding import GateGuard, usual_guards
from auto_benchmark.promotion.other_board import OtherBoard
from auto_benchmark.promotion.schema import Criterion, Evidence
from auto_benchmark.registry.guard import Guard
from auto_benchmark.stats.applicability import NotApplicableError
from auto_benchmark.stats.non_inferiority import non_inferiority


@dataclass(frozen=True, slots=True)
class _Check:
    """One guarded quantity: upper confidence bound of its loss and the margin, in the same unit."""

    name: str
    upper: float | None
    margin: float
    passed: bool
    for_good: bool
    reason: str
    is_open: bool = False


def no_regression(evidence: Evidence, guards: Sequence[Guard], boards: Sequence[OtherBoard]) -> CriterionResult:
    """All guards and boards; the row shows the one that is nearest to its margin."""
    whole = usual_guards(evidence.candidate, evidence.control, guards, evidence.metric)
    checks = [*_guard_checks(evidence, whole), *map(_board_check, boards)]
    if not checks:
        row = Criterion(
            name="no_regression",
            value=None,
            threshold=None,
            passed=True,
            reason="nothing else is measured: no guarded metric and no other board",
        )
        return CriterionResult(row)
    failed = [check for check in checks if not check.passed]
    worst = max(
        failed or checks, key=lambda check: float("inf") if check.upper is None else check.upper / check.margin
    )
    row = Criterion(
        name="no_regression",
        value=None if worst.upper is None else plain(worst.upper),
        threshold=plain(worst.margin),
        passed=not failed,
        reason="; ".join(check.reason for check in failed or checks),
    )
    return CriterionResult(
        row,
        for_good=any(check.for_good for check in failed),
        is_open=bool(failed) and all(check.is_open for check in failed),
    )


def _guard_checks(evidence: Evidence, guards: Sequence[Guard]) -> Iterator[_Check]:
    for guard in guards:
        if isinstance(guard, GateGuard) and guard.against:
            yield from _starved(evidence, guard, guard.against)
            continue
        name = shown_name(guard.name, guard.source if isinstance(guard, GateGuard) else None)
        ours = [t.metrics[guard.name] for t in evidence.candidate if guard.name in t.metrics]
        theirs = [t.metrics[guard.name] for t in evidence.control if guard.name in t.metrics]
        if not theirs:
            continue  # production never reported it, so there is nothing to regress from
        if not ours:
            reason = f"{name}: the candidate does not report it"
            yield _Check(name, None, guard.within, False, False, reason)
            continue
        base = abs(sum(theirs) / len(theirs))
        relative = base > 0 and math.isfinite(guard.share(base)) and guard.share(base) == guard.within
        unit = base if relative else 1.0  # a margin counts in the unit in which it is the larger one
        yield _check(
            name,
            [value / unit for value in ours],
            [value / unit for value in theirs],
            guard.share(base) if relative else guard.absolute or 1e-12,
            guard.higher_is_better,
            percent=relative,
        )
        if guard.name == WALL and isinstance(guard, GateGuard) and guard.source is MetricSource.MEASURED:
            yield from _rested(evidence, guard)


def _rested(evidence: Evidence, guard: GateGuard) -> Iterator[_Check]:
    """Whether the candidate rests for longer than production; nothing where it does not, or where waiting is not counted.

    A busy machine lengthens what production takes, so that a candidate may sleep and stay within a multiple of it.
    """
    ours, theirs = (
        [rest for t in side if (rest := _without_waiting(t.metrics)) is not None]
        for side in (evidence.candidate, evidence.control)
    )
    if len(ours) < len(evidence.candidate) or not theirs:
        return
    margin = guard.tolerated(sum(theirs) / len(theirs)) or 1e-12
    check = _check(WALL, ours, theirs, margin, False, percent=False)
    if not check.passed:
        reason = (
            f"{WALL} is not established, since the machine was too busy: without waiting for a processor, {_mean(ours)} "
            f"were taken; to pass, no more than {margin:.4g} beyond production's {_mean(theirs)}"
        )
        yield replace(check, for_good=False, reason=reason, is_open=True)


def _without_waiting(metrics: Mapping[str, float]) -> float | None:
    """Wall time less what a trial can have waited for a processor; None where that is not known.

    Tasks side by side can wait for longer than the trial lasted; what it computed it also took.
    """
    if not {WALL, CPU, CPU_AT_MOST} <= metrics.keys():
        return None
    return max(metrics[CPU], metrics[WALL] - (metrics[CPU_AT_MOST] - metrics[CPU]))


def _starved(evidence: Evidence, guard: GateGuard, against: str) -> Iterator[_Check]:
    """What keeps a cost from being established; nothing where even its upper end is within the limit."""
    ours = [t.metrics[guard.name] for t in evidence.candidate if guard.name in t.metrics]
    theirs = [t.metrics[against] for t in evidence.control if against in t.metrics]
    if not ours or not theirs:
        return
    margin = guard.tolerated(sum(theirs) / len(theirs)) or 1e-12
    check = _check(guard.name, ours, theirs, margin, False, percent=False)
    if not check.passed:
        got = [t.metrics[against] for t in evidence.candidate if against in t.metrics]
        reason = (
            f"{against} is not established, since the machine was too busy: {_mean(got)} was had, {_mean(ours)} can have "
            f"been wanted; to pass, no more than {margin:.4g} beyond production's {_mean(theirs)}"
        )
        yield replace(check, for_good=False, reason=reason, is_open=True)


def _mean(values: Sequence[float]) -> str:
    return f"{sum(values) / len(values):.4g}" if values else "nothing"


def _board_check(board: OtherBoard) -> _Check:
    return _check(board.name, board.candidate, board.control, board.margin, board.higher_is_better, percent=False)


def _check(
    name: str, ours: Sequence[float], theirs: Sequence[float], margin: float, higher_is_better: bool, *, percent: bool
) -> _Check:
    def shown(value: float) -> str:
        return f"{100 * value:.1f} %" if percent else f"{value:.4g}"

    def moved(value: float) -> str:
        """``worse by 0.2 %``; a loss below zero is a gain, and called one."""
        size = shown(abs(value))
        return "unchanged" if size == shown(0.0) else f"{'worse' if value > 0 else 'better'} by {size}"

    try:
        result = non_inferiority(ours, theirs, margin=margin, higher_is_better=higher_is_better)
    except NotApplicableError as error:
        return _Check(name, None, margin, False, False, f"{name}: {error}")
    verdict = "within" if result.shown else "beyond" if result.refuted else "not yet shown to be within"
    reason = (
        f"{name}: {moved(result.worse)}, 95 % bound {moved(result.upper)}, "
        f"{verdict} the allowed loss of {shown(margin)}"
    )
    return _Check(name, result.upper, margin, result.shown, result.refuted, reason)
