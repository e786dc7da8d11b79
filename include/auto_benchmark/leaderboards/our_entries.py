"""Which entries under our name are ours.

Anybody can write our name into a board. An entry under it counts as ours when it shows a score that is known to be
ours: of the board's first snapshot, of the last one, declared by hand, handed in, or answered for by a person. Every
other entry under our name is set aside: listed without rank and score until a person says whose it is.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime, timedelta

from auto_benchmark.leaderboards.alerts import decimals, usual_decimals
from auto_benchmark.leaderboards.aside import AsideRow, Whose
from auto_benchmark.leaderboards.compare import RECOMPUTED
from auto_benchmark.leaderboards.matching import match
from auto_benchmark.leaderboards.notation import in_notation_of, notation_factor
from auto_benchmark.leaderboards.our_names import OurNames
from auto_benchmark.leaderboards.reset import board_changed, published_finer, rescored
from auto_benchmark.tables.entry import Entry
from auto_benchmark.tables.ranking import ranked

SCORED_WITHIN = timedelta(days=14)
"""How long after a submission without a score in its answer a new row under our name is taken for its score."""


@dataclass(frozen=True, slots=True)
class HandedIn:
    """An accepted submission; ``score`` is None where the board only scores later."""

    id: int
    score: float | None
    at: datetime


@dataclass(frozen=True, slots=True)
class Known:
    """What is known of our scores on a board, in its unit.

    Attributes:
        earlier: scores that earlier snapshots showed as ours, and one declared by hand.
        handed_in: accepted submissions.
        ours: scores that a person has said to be ours.
        denied: scores that a person has said not to be ours.
        in_flight: a submission is being made at this moment.
    """

    earlier: Sequence[float] = ()
    handed_in: Sequence[HandedIn] = ()
    ours: frozenset[float] = frozenset()
    denied: frozenset[float] = frozenset()
    in_flight: bool = False


@dataclass(frozen=True, slots=True)
class Last:
    """The last good snapshot: its entries as they counted, and the rows that did not count as ours."""

    entries: Sequence[Entry]
    aside: Sequence[AsideRow] = ()

    def rewritten(self, as_in: Sequence[Entry], factor: float) -> Last:
        """The same in the notation of a reading."""
        aside = [replace(row, score=row.score * factor) for row in self.aside]
        return Last(in_notation_of(self.entries, as_in), aside)


@dataclass(slots=True)
class JudgedBoard:
    """A board as it counts.

    Attributes:
        entries: best first. Imitations and denied rows count as a competitor's, under a name that says so; rows that
            are set aside have no score; where one may have taken the place of an entry of ours, that entry stands.
        aside: rows that do not count as ours.
        variations: undeclared spellings of our name.
        scored: submission that the board scored only now, and its score.
    """

    entries: list[Entry]
    aside: list[AsideRow] = field(default_factory=list)
    variations: list[str] = field(default_factory=list)
    scored: tuple[int, float] | None = None


def judge(
    entries: Sequence[Entry], names: OurNames, *, last: Last | None, known: Callable[[], Known],
    higher_is_better: bool, now: datetime,
) -> JudgedBoard:  # fmt: skip
    """Decide which entries of a reading are ours.

    Args:
        entries: as read.
        names: our names.
        last: the last good snapshot; None at the first, all of whose entries under our name are ours.
        known: what else is known of our scores; asked only where the last snapshot does not settle it.
        higher_is_better: direction of the metric.
        now: moment of the reading.
    """
    told, imitating = names.with_imitations_renamed(entries)
    if last is not None and (factor := notation_factor(last.entries, told)) != 1.0:
        last, known = last.rewritten(told, factor), _rewritten(known, factor)
    mine: list[Entry] = []
    rest: list[Entry] = []
    for entry in told:
        (mine if entry.score is not None and names.borne_by(entry) else rest).append(entry)
    held = [e for e in last.entries if e.score is not None and names.borne_by(e)] if last else []
    claims = _Claims(mine, held)
    if last is None:
        claims.accept(mine)
    else:
        _settle(claims, rest, last, known, higher_is_better=higher_is_better, now=now)
    aside = [AsideRow(e.system, _score(e), Whose.IMITATION, now) for e in imitating]
    aside += [AsideRow(e.system, _score(e), whose, now) for e, whose in claims.others]
    return JudgedBoard(
        entries=ranked(
            [*rest, *claims.ours, *claims.standing, *(_listed(e, whose) for e, whose in claims.others)],
            higher_is_better=higher_is_better,
        ),
        aside=[_since(row, last.aside if last else ()) for row in aside],
        variations=list(dict.fromkeys(e.system for e in claims.ours if names.is_variation(e))),
        scored=claims.scored,
    )


def _rewritten(known: Callable[[], Known], factor: float) -> Callable[[], Known]:
    """What is known of our scores, in the notation that a board has now."""

    def now() -> Known:
        found = known()
        return replace(
            found,
            earlier=[score * factor for score in found.earlier],
            handed_in=[replace(s, score=None if s.score is None else s.score * factor) for s in found.handed_in],
            ours=frozenset(score * factor for score in found.ours),
            denied=frozenset(score * factor for score in found.denied),
        )

    return now


def shows(shown: float, known: float, places: int) -> bool:
    """Whether a board would show ``known`` as ``shown``: rounded, or cut off.

    Args:
        shown: score on the board.
        known: score as it was handed in or shown before.
        places: decimals that the board usually publishes; ``shown`` may have more, and then counts with these.
    """
    unit = 10.0 ** -max(places, decimals(shown))
    slack = 1e-9 * max(1.0, abs(known))
    cut_off = math.trunc(known / unit + math.copysign(1e-6, known)) * unit
    return abs(shown - known) <= unit / 2 + slack or abs(shown - cut_off) <= slack


def not_ours(name: str) -> str:
    """How a competitor is called that bears our name."""
    return f"{name} (not ours)"


class _Claims:
    """Rows under our name while it is found out whose they are.

    Attributes:
        left: rows that nothing has settled yet.
        missing: entries of ours in the last snapshot that no row has continued yet, best first.
        ours: rows that are ours.
        others: rows that are not, or not yet.
        standing: entries of ours that stand although the board shows something else in their place.
        scored: submission that the board scored only now, and its score.
    """

    def __init__(self, rows: Sequence[Entry], held: Sequence[Entry]) -> None:
        self.left, self.missing = list(rows), list(held)
        self.ours: list[Entry] = []
        self.others: list[tuple[Entry, Whose]] = []
        self.standing: list[Entry] = []
        self.scored: tuple[int, float] | None = None

    def accept(self, rows: Sequence[Entry]) -> None:
        """Take rows for ours; each takes the place of one that is missing."""
        for row in list(rows):
            self.left.remove(row)
            self.ours.append(row)
            self.missing = self.missing[:-1]

    def refuse(self, rows: Sequence[Entry], whose: Whose) -> None:
        """Take rows for somebody else's, or leave them open."""
        for row in list(rows):
            self.left.remove(row)
            self.others.append((row, whose))

    def go_on(self, same: Callable[[float, float], bool]) -> None:
        """Take rows for ours that continue an entry of the last snapshot; ``same`` is given score before and now."""
        for row in list(self.left):
            entry = next((e for e in self.missing if same(_score(e), _score(row))), None)
            if entry is not None:
                self.missing.remove(entry)
                self.left.remove(row)
                self.ours.append(row)


def _settle(
    claims: _Claims, rest: Sequence[Entry], last: Last, known_scores: Callable[[], Known], *, higher_is_better: bool,
    now: datetime,
) -> None:  # fmt: skip
    before, rows = list(claims.missing), list(claims.left)
    claims.go_on(lambda was, is_now: was == is_now)
    if not claims.left:
        return
    same = match([e for e in last.entries if e not in before], rest).same
    if board_changed(same, len(last.entries), len(rest) + len(rows)) is not None:
        asked = any(row.whose is not Whose.IMITATION for row in last.aside)
        if len(rows) <= len(before) and not asked:
            claims.accept(claims.left)
            return
        claims.missing = []  # scores of another metric or version are nothing to stand on
    known, places = known_scores(), max(usual_decimals([*rest, *rows]), usual_decimals(last.entries))
    claims.go_on(_unchanged(same, places, higher_is_better=higher_is_better))
    _recognise(claims, known, places)
    denied = [row for row in last.aside if row.whose is Whose.DENIED]
    claims.refuse([row for row in claims.left if row.score in known.denied], Whose.DENIED)
    moved = len(denied) - len(claims.others)  # denied rows that show another score now, or are gone
    awaited = [s for s in known.handed_in if s.score is None and now - s.at <= SCORED_WITHIN]
    fresh = [row for row in claims.left if any(_first_read(row, last, now) >= s.at for s in awaited)]
    if len(fresh) == 1 and len(claims.left) == 1 and moved <= 0:
        claims.scored = (awaited[0].id, _score(fresh[0]))
        claims.accept(fresh)
    elif not awaited:
        claims.refuse(claims.left[: max(0, moved)], Whose.DENIED)
    asked_about = {(row.name, row.score) for row in last.aside if row.whose is Whose.UNCONFIRMED}
    flying = [r for r in claims.left if known.in_flight and (r.system, r.score) not in asked_about]
    claims.refuse(flying, Whose.IN_FLIGHT)
    claims.refuse(claims.left, Whose.UNCONFIRMED)
    open_ones = sum(1 for _, whose in claims.others if whose is not Whose.DENIED)
    claims.standing = [_still(entry) for entry in claims.missing[:open_ones]]


def _unchanged(
    same: Sequence[tuple[Entry, Entry]], places: int, *, higher_is_better: bool
) -> Callable[[float, float], bool]:
    """Whether two scores are one, by the board's own decimals and by what happened to everybody else's entries."""
    pairs = [(_score(a), _score(b)) for a, b in same if a.score is not None and b.score is not None]
    finer = published_finer(pairs)
    corrected = rescored(pairs, higher_is_better=higher_is_better)

    def one(was: float, is_now: float) -> bool:
        if shows(is_now, was, places) or (finer is not None and round(is_now, finer) == was):
            return True
        return corrected and abs(is_now - was) <= RECOMPUTED * abs(was)

    return one


def _recognise(claims: _Claims, known: Known, places: int) -> None:
    """Accept rows whose score we have handed in, declared, or held before; each such score stands for one row."""
    scores = [s.score for s in known.handed_in if s.score is not None]
    for score in dict.fromkeys([*scores, *known.earlier]):
        if not any(shows(_score(row), score, places) for row in claims.ours):
            claims.accept([row for row in claims.left if shows(_score(row), score, places)][:1])
    claims.accept([row for row in claims.left if row.score in known.ours])


def _first_read(row: Entry, last: Last, now: datetime) -> datetime:
    waiting = (Whose.UNCONFIRMED, Whose.IN_FLIGHT)
    return min((r.since for r in last.aside if r.score == row.score and r.whose in waiting), default=now)


def _since(row: AsideRow, before: Sequence[AsideRow]) -> AsideRow:
    same = [r.since for r in before if (r.name, r.score) == (row.name, row.score)]
    return replace(row, since=min(same, default=row.since))


def _listed(entry: Entry, whose: Whose) -> Entry:
    """A row that is not ours, under a name that nothing takes for ours."""
    if whose is Whose.DENIED:
        return entry.model_copy(update={"system": not_ours(entry.system), "written": None})
    note = f"shown with {entry.score:.10g}; waits for a person"
    return entry.model_copy(
        update={"rank": None, "score": None, "system": f"{entry.system} (unconfirmed)", "written": None, "note": note}
    )


def _still(entry: Entry) -> Entry:
    return entry.model_copy(update={"note": "as last confirmed; the board shows another score in its place"})


def _score(entry: Entry) -> float:
    """The score of an entry that has one."""
    return math.nan if entry.score is None else entry.score
