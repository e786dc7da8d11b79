"""Which entry of yesterday is which entry of today. Identity is by name or alias; a rename needs evidence or a link."""

from __future__ import annotations

from collections import Counter, defaultdict, deque
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from difflib import SequenceMatcher

from auto_benchmark.tables.entry import Entry
from auto_benchmark.tables.naming import identity

ALIKE = 0.6
"""Least similarity of two names of one system whose score did not change."""
PROOF = 3
"""Further equal, distinct numbers of a row that prove a rename on their own."""
MOST_PAIRS_OF_A_SCORE, MOST_NAMES_COMPARED, LONGEST_COMPARED = 250_000, 1_000, 200
"""Pairs of entries that a score may leave to be looked at; names in all that are compared, and characters of each."""
_KEYS: tuple[Callable[[Entry], object], ...] = (
    lambda entry: entry.url,
    lambda entry: (entry.system, entry.score),
    lambda entry: (entry.score,),
    lambda entry: entry.system,
    lambda entry: True,
)
"""By which entries of one name are paired, the best evidence first; None is no evidence."""


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
    for key in _KEYS:
        places: dict[object, deque[int]] = defaultdict(deque)
        for place, entry in enumerate(left):
            places[key(entry)].append(place)
        waiting, rest, taken = rest, [], set[int]()
        for entry in waiting:
            free = places.get(key(entry)) if key(entry) is not None else None
            if free:
                taken.add(place := free.popleft())
                result.same.append((left[place], entry))
            else:
                rest.append(entry)
        left = [entry for place, entry in enumerate(left) if place not in taken]
    result.gone += left
    result.fresh += rest


def _renames_by_link(result: Matching) -> None:
    """Pair what is gone with what is fresh where both have one link that no other entry of theirs has."""
    before, now = _by_link(result.gone), _by_link(result.fresh)
    taken = {entry.url for pair in (*result.same, *result.renamed) for entry in pair}
    for link in [link for link in before if link in now and link not in taken]:
        result.renamed.append((before[link], now[link]))
    _drop_renamed(result)


def _drop_renamed(result: Matching) -> None:
    """Neither gone nor fresh is what has another name now."""
    known = {id(entry) for pair in result.renamed for entry in pair}
    result.gone = [entry for entry in result.gone if id(entry) not in known]
    result.fresh = [entry for entry in result.fresh if id(entry) not in known]


def _by_link(entries: Sequence[Entry]) -> dict[str, Entry]:
    times = Counter(entry.url for entry in entries)
    return {entry.url: entry for entry in entries if entry.url is not None and times[entry.url] == 1}


def _renames(result: Matching) -> None:
    """Pair what is gone with what is fresh where exactly one of each fits the other.

    A score that very many share tells nothing, and names are compared so often only that a board of strangers' making
    takes no more than seconds: those of the rarest scores first.
    """
    gone, fresh = _by_score(result.gone), _by_score(result.fresh)
    names = MOST_NAMES_COMPARED
    for score in sorted(gone.keys() & fresh.keys(), key=lambda score: len(gone[score]) * len(fresh[score])):
        pairs = len(gone[score]) * len(fresh[score])
        if pairs > MOST_PAIRS_OF_A_SCORE:
            break
        fits = [
            (before, now)
            for before in gone[score]
            for now in fresh[score]
            if _same_numbers(before, now) or (names >= pairs and _same_name(before, now))
        ]
        names -= pairs
        times = Counter(id(entry) for pair in fits for entry in pair)
        result.renamed += [pair for pair in fits if times[id(pair[0])] == times[id(pair[1])] == 1]
    _drop_renamed(result)


def _by_score(entries: Sequence[Entry]) -> dict[float, list[Entry]]:
    found: dict[float, list[Entry]] = defaultdict(list)
    for entry in entries:
        if entry.score is not None:
            found[entry.score].append(entry)
    return found


def _same_numbers(before: Entry, now: Entry) -> bool:
    shared = before.metrics.keys() & now.metrics.keys()
    equal = {
        before.metrics[k] for k in shared if before.metrics[k] is not None and before.metrics[k] == now.metrics[k]
    }
    return len(equal) >= PROOF and sum(1 for k in shared if before.metrics[k] != now.metrics[k]) <= len(equal)


def _same_name(before: Entry, now: Entry) -> bool:
    a, b = identity(before.system)[:LONGEST_COMPARED], identity(now.system)[:LONGEST_COMPARED]
    compared = SequenceMatcher(None, a, b, autojunk=False)
    return a in b or b in a or (compared.quick_ratio() >= ALIKE and compared.ratio() >= ALIKE)
