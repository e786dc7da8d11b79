"""What a new landscape sets in motion."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from enum import StrEnum

from auto_benchmark.leaderboards.delta import ChangeType, Delta
from auto_benchmark.leaderboards.gap_matrix import BoardGap
from auto_benchmark.tables.entry import Entry
from auto_benchmark.tables.naming import identities, identity

NEAR = 0.05
"""Distance to our score, as a fraction of it, within which an entrant is a threat."""


class Action(StrEnum):
    """What is started."""

    URGENT_SWEEP = "urgent_sweep"
    RESEARCH_INGEST = "research_ingest"
    MAINTENANCE_SWEEP = "maintenance_sweep"
    PREEMPTIVE_HYPOTHESES = "preemptive_hypotheses"
    BENCHMARK_CONSTRUCTION = "benchmark_construction"


@dataclass(frozen=True, slots=True)
class Trigger:
    """One decision to start something.

    Attributes:
        action: what is started.
        board: the board that caused it.
        reason: why, in numbers.
        systems: competitors that it is about.
    """

    action: Action
    board: str
    reason: str
    systems: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class KeyedTrigger:
    """A trigger with what caused it, a snapshot or a victory, so that it is noted once however often it is seen."""

    key: str
    trigger: Trigger


def decide(
    now: BoardGap,
    delta: Delta,
    *,
    previous: BoardGap | None,
    passed: Sequence[str],
    won: bool,
    widened_by: float = 0.01,
    near: float = NEAR,
) -> list[Trigger]:
    """Triggers of one board's new snapshot.

    After a change of the board itself (metric reset, another version) no one was overtaken: its ranks cannot be
    compared with those before it.

    Args:
        now: our standing.
        delta: changes since the last good snapshot.
        previous: our standing then; None at the first.
        passed: competitors whose rank drops were recorded with the snapshot.
        won: the victory condition is fulfilled, now and for as many cycles as it wants.
        widened_by: growth of the gap fraction that starts a research ingest.
        near: distance that makes an entrant a threat.
    """
    found: list[Trigger] = []
    if won:
        margin = "alone" if now.gap is None else f"{now.gap:+.4g}"
        found.append(Trigger(Action.MAINTENANCE_SWEEP, now.board, f"#1 by the margin ({margin}): defend it"))
    if delta.whole_board:
        return found
    if passed:
        rank = "unlisted" if now.our_rank is None else f"#{now.our_rank}"
        text = f"passed by {', '.join(passed)}; now {rank}"
        found.append(Trigger(Action.URGENT_SWEEP, now.board, text, tuple(passed)))
    if (growth := _widened(now, previous)) is not None and growth > widened_by:
        text = f"gap to #1 grew by {growth:.2%} of its score, more than {widened_by:.2%}"
        found.append(Trigger(Action.RESEARCH_INGEST, now.board, text))
    entrants = [c for c in delta.changes if c.type is ChangeType.NEW_ENTRANT and c.new is not None]
    close = tuple(c.system for c in entrants if c.new is not None and _near(c.new, now.our_score, near))
    if close and not set(close) <= set(passed):
        found.append(
            Trigger(Action.PREEMPTIVE_HYPOTHESES, now.board, f"entrants within {near:.0%} of our score", close)
        )
    return found


def threats(
    entries: Sequence[Entry], ours: Collection[str], our_score: float, *, higher_is_better: bool, near: float = NEAR
) -> list[Entry]:
    """Competitors behind us, or level, within ``near`` of our score, closest first."""
    mine = identities(ours)
    sign = 1.0 if higher_is_better else -1.0
    behind = [
        e
        for e in entries
        if e.score is not None and identity(e.system) not in mine
        and sign * (our_score - e.score) >= 0 and _near(e.score, our_score, near)
    ]  # fmt: skip
    return sorted(behind, key=lambda e: (abs(our_score - (e.score or 0.0)), e.system))


def _widened(now: BoardGap, previous: BoardGap | None) -> float | None:
    """Growth of what is missing to #1, as a fraction of #1's score."""
    if previous is None or now.gap is None or previous.gap is None:
        return None
    if now.gap >= 0 or now.gap_fraction is None or previous.gap_fraction is None:
        return None
    before = previous.gap_fraction if previous.gap < 0 else 0.0
    return now.gap_fraction - before


def _near(score: float, ours: float | None, near: float) -> bool:
    return ours is not None and ours != 0 and abs(score - ours) <= near * abs(ours)
