"""Which entry of yesterday is which entry of today. Identity is by name or alias; a rename needs evidence or a link."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from difflib import SequenceMatcher

from auto_benchmark.tables.entry import Entry
from auto_benchmark.tables.naming import identity

ALIKE = 0.6
"""Least similarity of two names of one system whose score did not change."""
PROOF = 3
"""Further equal, distinct numbers of a row that prove a rename on their own."""


@dataclass(slots=True)
class Matching:
    """Pairs of entries that are the same system, and those that stand alone.

    Attributes:
        same: (before, now) under the same name or a declared alias.
        renamed: (before, now) under another name.
        gone: only before.
        fresh: only now.
    """

    same: list[tuple[Entry, Entry]] = field(default_factory=list)
    renamed: list[tuple[Entry, Entry]] = field(default_factory=list)
    gone: list[Entry] = field(default_factory=list)
    fresh: list[Entry] = field(default_factory=list)


def match(old: Sequence[Entry], new: Sequence[Entry], aliases: Mapping[str, str] | None = None) -> Matching:
    """Pair the entries of two snapshots.

    Of names that are one system, equal links are paired first, then equal spellings, then equal scores, then in order of
    rank. What is left is paired by links that are one entry's alone, whatever it is called and scores now.

    Args:
        old: entries before.
        new: entries now.
        aliases: other name -> canonical name.
    """
    canonical = {identity(k): identity(v) for k, v in (aliases or {}).items()}
    before, now = _by_identity(old, canonical), _by_identity(new, canonical)
    result = Matching()
    for key in dict.fromkeys((*before, *now)):
        _pair(before.get(key, []), now.get(key, []), result)
    _renames_by_link(result)
    _renames(result)
    return result


def _by_identity(entries: Sequence[Entry], canonical: Mapping[str, str]) -> dict[str, list[Entry]]:
    groups: dict[str, list[Entry]] = defaultdict(list)
    for entry in entries:
        key = identity(entry.system)
        groups[canonical.get(key, key)].append(entry)
    return groups


def _pair(before: list[Entry], now: list[Entry], result: Matching) -> None:
    if len(before) == len(now) == 1:
        result.same.append((before[0], now[0]))
        return
    left, rest = list(before), list(now)
    for same in (
        lambda a, b: a.url is not None and a.url == b.url,
        lambda a, b: (a.system, a.score) == (b.system, b.score),
        lambda a, b: a.score == b.score,
        lambda a, b: a.system == b.system,
        lambda a, b: True,
    ):
        waiting, rest = rest, []
        for entry in waiting:
            place = next((i for i, e in enumerate(left) if same(e, entry)), None)
            if place is None:
                rest.append(entry)
            else:
                result.same.append((left.pop(place), entry))
    result.gone += left
    result.fresh += rest


def _renames_by_link(result: Matching) -> None:
    """Pair what is gone with what is fresh where both have one link that no other entry of theirs has."""
    before, now = _by_link(result.gone), _by_link(result.fresh)
    taken = {entry.url for pair in (*result.same, *result.renamed) for entry in pair}
    for link in [link for link in before if link in now and link not in taken]:
        result.renamed.append((before[link], now[link]))
    result.gone = [e for e in result.gone if all(e is not a for a, _ in result.renamed)]
    result.fresh = [e for e in result.fresh if all(e is not b for _, b in result.renamed)]


def _by_link(entries: Sequence[Entry]) -> dict[str, Entry]:
    times = Counter(entry.url for entry in entries)
    return {entry.url: entry for entry in entries if entry.url is not None and times[entry.url] == 1}


def _renames(result: Matching) -> None:
    """Pair what is gone with what is fresh where exactly one of each fits the other."""
    by_score: dict[float | None, list[Entry]] = defaultdict(list)
    for entry in result.fresh:
        by_score[entry.score].append(entry)
    claims: dict[int, list[Entry]] = defaultdict(list)
    for entry in result.gone:
        for other in by_score.get(entry.score, []):
            if entry.score is not None and _same_system(entry, other):
                claims[id(other)].append(entry)
    for other in list(result.fresh):
        claimants = claims.get(id(other), [])
        rivals = [
            o for o in by_score[other.score] if o is not other and claimants and claimants[0] in claims.get(id(o), [])
        ]
        if len(claimants) == 1 and not rivals:
            result.renamed.append((claimants[0], other))
            result.gone = [e for e in result.gone if e is not claimants[0]]
            result.fresh = [e for e in result.fresh if e is not other]


def _same_system(before: Entry, now: Entry) -> bool:
    shared = before.metrics.keys() & now.metrics.keys()
    equal = {
        before.metrics[k] for k in shared if before.metrics[k] is not None and before.metrics[k] == now.metrics[k]
    }
    differing = sum(1 for k in shared if before.metrics[k] != now.metrics[k])
    if len(equal) >= PROOF and differing <= len(equal):
        return True
    a, b = identity(before.system), identity(now.system)
    return a in b or b in a or SequenceMatcher(None, a, b, autojunk=False).ratio() >= ALIKE
