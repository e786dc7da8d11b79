"""Where we stand on a board. This is the only definition of the gap; whatever shows one takes it from here.

A rival is an entry under none of our names. The gap is our score against the best rival's, oriented so that positive is
a lead and negative is behind, whatever the metric's direction.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass

from auto_benchmark.tables.entry import Entry
from auto_benchmark.tables.naming import identities, identity


def lead(ours: float, theirs: float, *, higher_is_better: bool) -> float:
    """Our score against another, in the metric's unit: positive when ours is better."""
    return ours - theirs if higher_is_better else theirs - ours


@dataclass(frozen=True, slots=True)
class Standing:
    """What a board's entries say about us and about the top. Scores are in the board's unit.

    Attributes:
        our_rank: of our best entry; None when we are not listed.
        our_score: of our best entry.
        leader: system at #1; ours where we share the place with it by name order.
        leader_score: its score.
        runner_up_score: the best rival's score while we are #1, the second entry's otherwise.
    """

    our_rank: int | None
    our_score: float | None
    leader: str | None
    leader_score: float | None
    runner_up_score: float | None

    @property
    def leads(self) -> bool:
        """Whether we are #1, alone or not."""
        return self.our_rank == 1

    @property
    def rival_score(self) -> float | None:
        """The best rival's score; None on a board without one."""
        return self.runner_up_score if self.leads else self.leader_score

    def gap(self, *, higher_is_better: bool) -> float | None:
        """Our lead over the best rival, negative when we are behind; None when either has no score."""
        if self.our_score is None or self.rival_score is None:
            return None
        return lead(self.our_score, self.rival_score, higher_is_better=higher_is_better)

    def gap_fraction(self, *, higher_is_better: bool) -> float | None:
        """|gap| / |#1's score|, which chooses the strategy; None where that is not defined."""
        gap = self.gap(higher_is_better=higher_is_better)
        return None if gap is None or not self.leader_score else abs(gap) / abs(self.leader_score)


def standing(entries: Sequence[Entry], ours: Collection[str]) -> Standing:
    """Read a board, best entry first, from our point of view; of several entries of ours the best counts.

    - ``ours``: our name and its aliases, compared by :func:`identity`.
    """
    names = identities(ours)
    scored = [entry for entry in entries if entry.score is not None]
    mine = our_entry(scored, names)
    leader = scored[0] if scored else None
    leads = mine is not None and mine.rank == 1
    others = rivals(scored, names) if leads else scored[1:]
    return Standing(
        our_rank=mine.rank if mine else None,
        our_score=mine.score if mine else None,
        leader=leader.system if leader else None,
        leader_score=leader.score if leader else None,
        runner_up_score=others[0].score if others else None,
    )


def our_entry(entries: Iterable[Entry], mine: Collection[str]) -> Entry | None:
    """Our best entry among entries in order; ``mine`` are identities of our names."""
    return next((entry for entry in entries if identity(entry.system) in mine), None)


def rivals(entries: Iterable[Entry], mine: Collection[str]) -> list[Entry]:
    """The entries with a score under none of our names, in their order."""
    return [entry for entry in entries if entry.score is not None and identity(entry.system) not in mine]
