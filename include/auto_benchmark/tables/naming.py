"""System names as published, without medals, ranks, links and footnote marks."""

from __future__ import annotations

import re
import unicodedata
from collections import Counter
from collections.abc import Iterable, Sequence
from typing import Any

from auto_benchmark.tables.hidden import has_hidden
from auto_benchmark.tables.markup import SPACES, Stripped, without_scripts
from auto_benchmark.tables.score_cell import MARKS

_INVISIBLE = re.compile("[\u00ad\u200b-\u200f\u2028-\u202e\u2060-\u2064\ufe0e\ufe0f\ufeff]")
_EDGES = MARKS.replace("*", "") + SPACES
_MEDALS, _VARIANTS = frozenset(MARKS) - {"*"}, frozenset("\ufe0e\ufe0f\u200d")
_STARS, _SUITS, _LOZENGES = "*∗＊", "♠♤♣♧♥♡♦♢", "◆◇◊⋄"
"""Footnote marks that are also found in names: ``A*``, ``I ♥``. All others are never part of one."""
_FOOTNOTE = re.compile(
    rf"(?:[†‡§¶‖{_STARS}{_SUITS}{_LOZENGES}⁰¹²³⁴-⁹]|\^\([\d,†‡§¶{_STARS}{_SUITS}{_LOZENGES}a-z ]{{1,4}}\)"
    r"|\[(?:\d{1,2}|[Pp]aper|[Cc]ode|[Ll]ink|[Pp][Dd][Ff]|[Gg]it[Hh]ub|[Dd]emo|[Bb]log)\])\s?\Z"
)
"""The last mark of a name."""
LONGEST_MARK = 9
_DAGGERS = "†‡§¶‖"
_STARRED = re.compile(rf"(?:^|[\s(/+-])[A-Z]{{1,4}}[{_STARS}]$")
"""``A*``, ``RRT*``: a star behind a short abbreviation, as algorithms are called."""
_RANK = re.compile(r"#?(\d{1,4})[.):]\s+(?=\S)")


def name_of(cell: Any) -> str:
    """First block of a name cell, white space collapsed, medals cut off.

    Numbers are names too (a model may be called ``4``); booleans and nulls are none.
    """
    if isinstance(cell, bool) or cell is None:
        return ""
    if not isinstance(cell, str):
        return str(cell)
    lead = cell.lstrip().partition("\n")[0]
    if lead.isascii():
        return " ".join(lead.split())  # none of the marks is ASCII
    return " ".join(_INVISIBLE.sub("", lead).split()).strip(_EDGES)


def edge_footnotes(cell: Any) -> str:
    """Footnote marks that :func:`name_of` cuts off the end of a name."""
    if not isinstance(cell, str) or cell.isascii():
        return ""
    lead = _INVISIBLE.sub("", cell.lstrip().partition("\n")[0])
    return "".join(char for char in lead[len(lead.rstrip(_EDGES)) :] if char in _DAGGERS)


def written(cells: Sequence[Any]) -> list[str | None]:
    """Per name cell its first block as published, where that holds what :func:`name_of` does not show; else None.

    It does where a source took markup off, and where there are hidden characters other than those of a medal's emoji.
    Markup of most names is the document's way to write them and tells nothing.
    """
    marked = sum(1 for cell in cells if isinstance(cell, Stripped))
    return [_written(cell, usual=marked * 2 > len(cells)) for cell in cells]


def _written(cell: Any, *, usual: bool) -> str | None:
    if not isinstance(cell, str):
        return None
    marked = isinstance(cell, Stripped) and not usual
    raw = cell.written if marked and isinstance(cell, Stripped) else cell
    if not marked and not has_hidden(raw):
        return None
    bare = _without_medals(raw.lstrip(" \t\r\n").partition("\n")[0])
    return bare if marked or has_hidden(bare) else None


def _without_medals(text: str) -> str:
    """The text without spaces and medals around it; a medal takes the characters with it that choose its drawing."""
    start, end = 0, len(text)
    while start < end and (
        text[start] in SPACES
        or text[start] in _MEDALS
        or (text[start] in _VARIANTS and text[start - 1 : start] in _MEDALS)
    ):
        start += 1
    while end > start:
        at = end
        while at > start and text[at - 1] in _VARIANTS:
            at -= 1
        if at == start or not (text[at - 1] in _MEDALS or (at == end and text[at - 1] in SPACES)):
            break
        end = at - 1
    return text[start:end]


def tidy(names: Sequence[str]) -> list[tuple[str, str | None]]:
    """Cut leading ranks and trailing footnote marks where that keeps names apart.

    Returns:
        (name, what was cut off or None) per name.
    """
    unranked = _without_ranks(names)
    times = Counter(unranked)
    bare = without_footnotes(unranked)
    taken = Counter(bare)
    result: list[tuple[str, str | None]] = []
    for name, short in zip(unranked, bare, strict=True):
        if short and short != name and taken[short] == times[name]:
            result.append((without_scripts(short), name[len(short) :].strip()))
        else:
            result.append((without_scripts(name), None))
    return result


def without_footnotes(names: Sequence[str]) -> list[str]:
    """Names without the marks at their ends that are footnotes.

    A star or a suit is one where it stands apart or behind a bracket, or where the board marks several names so: a
    suit behind a second name, a star behind a name that is not an abbreviation.
    """
    starts = [_tail(name) if _may_be_marked(name) else len(name) for name in names]
    found = [(name, name[start:]) for name, start in zip(names, starts, strict=True) if start < len(name)]
    suited = len({name for name, tail in found if set(tail) & set(_SUITS)}) > 1
    starred = any(tail[0] in _STARS and not _is_starred(name) for name, tail in found)

    def is_footnote(name: str, start: int) -> bool:
        marks = set(name[start:])
        if marks - set(_STARS + _SUITS) or name[:start].endswith((")", "]", "}")):
            return True
        return (suited or not marks & set(_SUITS)) and (starred or not _is_starred(name))

    return [
        name[:start].strip() if start < len(name) and is_footnote(name, start) else name
        for name, start in zip(names, starts, strict=True)
    ]


def _tail(name: str) -> int:
    """Where the marks at the end of a name begin, with the white space before them; its length where there are none."""
    start = len(name)
    while (mark := _FOOTNOTE.search(name[max(0, start - LONGEST_MARK) : start])) is not None:
        start -= mark.end() - mark.start()
    return len(name[:start].rstrip()) if start < len(name) else start


def _is_starred(name: str) -> bool:
    return _STARRED.search(name[-LONGEST_MARK:]) is not None


def _may_be_marked(name: str) -> bool:
    """Whether a look for footnotes can be worth its time."""
    last = name[-1:]
    return "^(" in name if last == ")" else last in "*]" or not last.isascii()


def _without_ranks(names: Sequence[str]) -> list[str]:
    """``1. GPT`` becomes ``GPT`` only where every name starts with a rank and the ranks never fall."""
    matches = [_RANK.match(name) for name in names]
    ranks = [int(m.group(1)) for m in matches if m]
    if len(names) < 2 or len(ranks) < len(names) or ranks != sorted(ranks) or ranks[0] > 1 or ranks[-1] > len(names):
        return list(names)
    return [name[m.end() :] for name, m in zip(names, matches, strict=True) if m]


def identity(name: str) -> str:
    """What makes two spellings one system: letters, digits and ``+``. Case, width and other punctuation are set aside."""
    folded = name.casefold() if name.isascii() else unicodedata.normalize("NFKC", name).casefold()
    return re.sub(r"[^\w+]+|_", "", folded) or folded


def identities(names: Iterable[str]) -> set[str]:
    """Identities of several names, ours for example."""
    return {identity(name) for name in names}
