"""The delta of two snapshots of one board. The order of the page's rows never matters."""

from __future__ import annotations

import math
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass

from auto_benchmark.leaderboards.alerts import MOST_DECIMALS, alert_lines, decimals
from auto_benchmark.leaderboards.delta import Change, ChangeType, Delta
from auto_benchmark.leaderboards.matching import Matching, match
from auto_benchmark.leaderboards.notation import in_notation_of
from auto_benchmark.leaderboards.reset import board_changed, published_finer, rescored
from auto_benchmark.leaderboards.uncertainty import inseparable, standard_error
from auto_benchmark.tables.entry import Entry
from auto_benchmark.tables.naming import identities, identity
from auto_benchmark.tables.ranking import ranked

FLOAT_NOISE = 1e-5
"""Relative difference of two scores with four or more decimals that is no change."""
TOP = 3
"""Ranks whose shifts are reported although the score stood still; elsewhere one entrant would shift the whole board."""
RETIMED = 0.005
"""Relative change for the worse up to which a standing entry counts as corrected, not as worsened."""
RECOMPUTED = 0.01
"""The same, in either direction, when many entries moved at once and some for the worse."""


@dataclass(frozen=True)
class _Board:
    """What the comparison needs to know about the board."""

    name: str
    higher_is_better: bool
    items: int | None
    stderr: float | None
    dated: bool

    def better(self, a: float, b: float) -> bool:
        return a > b if self.higher_is_better else a < b

    def same(self, a: Entry, b: Entry) -> bool:
        """Equal, or not separable with the errors that are known."""
        errors = [standard_error(e, items=self.items, stderr=self.stderr) for e in (a, b)]
        return inseparable(_value(a), _value(b), errors[0], errors[1])


def _value(entry: Entry) -> float:
    """The score of an entry that has one, which all compared entries have."""
    return math.nan if entry.score is None else entry.score


def compare(
    old: Sequence[Entry],
    new: Sequence[Entry],
    *,
    board: str,
    higher_is_better: bool,
    ours: Collection[str] = (),
    aliases: Mapping[str, str] | None = None,
    items: int | None = None,
    stderr: float | None = None,
    dated: bool = True,
) -> Delta:
    """Compare two snapshots.

    Args:
        old: entries before.
        new: entries now.
        board: the board's name.
        higher_is_better: direction of the metric.
        ours: names of our system, all of which are one.
        aliases: other name -> canonical name of competitors.
        items: evaluation items, where the metric is a share: changes inside the binomial interval raise no alarm.
        stderr: the board's standard error.
        dated: dates are those of submissions, as the registry says. A date that was merely found may be the system's,
            under which better scores are handed in.

    Returns:
        Changes in the report's order, and the alert lines. Nothing changed: both are empty.
    """
    rules = _Board(board, higher_is_better, items, stderr, dated)
    old = in_notation_of(old, new)
    before, now = (ranked(e, higher_is_better=higher_is_better) for e in (_scored(old), _scored(new)))
    if not before:
        return Delta(board=board, changes=[])
    matching = match(before, now, {**(aliases or {}), **_as_one(ours)})
    if (places := published_finer([(_value(a), _value(b)) for a, b in matching.same])) is not None:
        matching.same = [(a, _unchanged(a, b, places)) for a, b in matching.same]
    mine = identities(ours)
    whole = _whole_board(rules, matching, before, now)
    changes = [whole] if whole else [*_own_changes(rules, matching, mine), *_crossings(rules, matching, mine)]
    order = {kind: i for i, kind in enumerate(ChangeType)}
    changes.sort(key=lambda c: (order[c.type], c.new_rank or c.old_rank or 0, c.system.casefold(), c.system))
    lines = alert_lines(board, changes, now, mine, higher_is_better=higher_is_better) if changes else []
    return Delta(board=board, changes=changes, alerts=lines)


def _as_one(ours: Collection[str]) -> dict[str, str]:
    names = sorted(ours)
    return dict.fromkeys(names[1:], names[0] if names else "")


def _unchanged(before: Entry, now: Entry, places: int) -> Entry:
    """The entry as it is now, with its old score when the new one is only the same score with more decimals."""
    same = round(_value(now), places) == _value(before)
    return now.model_copy(update={"score": before.score}) if same else now


def _scored(entries: Sequence[Entry]) -> list[Entry]:
    return [e for e in entries if e.score is not None]


def _whole_board(rules: _Board, matching: Matching, before: list[Entry], now: list[Entry]) -> Change | None:
    """A change of the board itself makes single changes meaningless."""
    kind = board_changed(matching.same, len(before), len(now))
    if kind is None:
        return None
    return Change(type=kind, system=rules.name, old=before[0].score, new=now[0].score if now else None)


def _own_changes(rules: _Board, matching: Matching, mine: set[str]) -> list[Change]:
    """What happened to each entry by itself."""
    changes = [
        Change(type=ChangeType.RENAMED, system=b.system, was=a.system, **_numbers(a, b)) for a, b in matching.renamed
    ]
    changes += [Change(type=ChangeType.WITHDRAWN, system=e.system, **_numbers(e, None)) for e in matching.gone]
    changes += [Change(type=ChangeType.NEW_ENTRANT, system=e.system, **_numbers(None, e)) for e in matching.fresh]
    pairs = [(_value(a), _value(b)) for a, b in matching.same]
    recomputed = rescored(pairs, higher_is_better=rules.higher_is_better)
    for a, b in (*matching.same, *matching.renamed):
        kind = _kind(rules, a, b, recomputed)
        if kind is None and a.rank != b.rank and (min(a.rank or 0, b.rank or 0) <= TOP or identity(b.system) in mine):
            kind = ChangeType.RANK_SHIFT
        if kind is not None:
            changes.append(Change(type=kind, system=b.system, **_numbers(a, b)))
    return changes


def _kind(rules: _Board, a: Entry, b: Entry, recomputed: bool) -> ChangeType | None:
    """What a change of score means. A submission keeps its date, so the same date means a correction.

    A date that is not declared may be another one, and turns no improvement into a correction.
    """
    if a.score == b.score or _noise(_value(a), _value(b)):
        return None
    step = abs(_value(b) - _value(a))
    same_submission = a.date is not None and a.date == b.date
    if same_submission and (rules.dated or not rules.better(_value(b), _value(a))):
        return ChangeType.CORRECTED
    if recomputed and step <= RECOMPUTED * abs(_value(a)):
        return ChangeType.CORRECTED
    if rules.same(a, b):
        return ChangeType.STATISTICALLY_TIED
    if rules.better(_value(b), _value(a)):
        return ChangeType.IMPROVED
    return ChangeType.CORRECTED if step <= RETIMED * abs(_value(a)) else ChangeType.WORSENED


def _noise(a: float, b: float) -> bool:
    """Scores with so many digits that the last ones are the arithmetic's, not the system's."""
    return decimals(a, b) >= MOST_DECIMALS and abs(a - b) <= FLOAT_NOISE * max(abs(a), abs(b))


def _numbers(a: Entry | None, b: Entry | None) -> dict[str, float | int | None]:
    return {
        "old": a.score if a else None,
        "new": b.score if b else None,
        "old_rank": a.rank if a else None,
        "new_rank": b.rank if b else None,
    }


def _crossings(rules: _Board, matching: Matching, mine: set[str]) -> list[Change]:
    """Who passed whom between us and systems that were there before. Entrants ahead of us are reported as entrants."""
    pairs = [*matching.same, *matching.renamed]
    us = next(((a, b) for a, b in sorted(pairs, key=lambda p: p[1].rank or 0) if identity(b.system) in mine), None)
    if us is None:
        return []
    changes = []
    for a, b in pairs:
        if identity(b.system) in mine:
            continue
        was, now = _side(rules, a, us[0]), _side(rules, b, us[1])
        if was == now:
            continue
        if now == 0:
            kind = ChangeType.TIED
        elif rules.same(b, us[1]):
            kind = ChangeType.STATISTICALLY_TIED
        elif now > 0:
            kind = ChangeType.OVERTOOK_US
        else:
            kind = ChangeType.WE_OVERTOOK
        changes.append(Change(type=kind, system=b.system, **_numbers(a, b)))
    return changes


def _side(rules: _Board, them: Entry, us: Entry) -> int:
    """1 they are ahead of us, 0 tied as published, -1 behind."""
    if them.score == us.score:
        return 0
    return 1 if rules.better(_value(them), _value(us)) else -1
