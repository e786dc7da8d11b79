"""The text of an HTML element as a person sees it."""

from __future__ import annotations

import re
from functools import lru_cache

from selectolax.lexbor import LexborNode

from auto_benchmark.sources.html_hidden import NOTHING, Hidden
from auto_benchmark.tables.markup import collapsed

_NOT_SHOWN = """
    script style template noscript select option datalist s del strike svg annotation annotation-xml
    -comment
"""
"""An annotation is a formula's source, which stands in the page beside what it shows."""
_SKIPPED = frozenset(_NOT_SHOWN.split())
_OWN_LINE = """
    p div br li ul ol dl dt dd h1 h2 h3 h4 h5 h6 tr td th section article header footer hr details summary small
    figure figcaption blockquote pre center
"""
_BLOCKS = frozenset(_OWN_LINE.split())
_NO_MEANING = frozenset(["a", "b", "strong", "i", "em", "u", "font", "tt", "code", "mark", "abbr"])
_LABELLED = frozenset(["span", "sup", "sub", "b", "strong", "i", "em", "u", "mark", "code"])
_BADGE = re.compile(r"(?i)(?:^|[\s_-])(?:badge|label|tag|chip|pill)(?:$|[\s_-])")
_APART = re.compile(
    r"(?i)(?:^|[\s_-])(affiliation|institution|organi[sz]ation|org|date|tooltip|subtitle|muted)(?:$|[\s_-])"
)
_SCRIPTS = {"sup": "^(", "sub": "_("}
_LINE, _MARKED, _SEAM = "\ufdd0", "\ufdd1", "\ufdd2"
"""Stand between blocks, around a badge, and at the edges of other inline elements; Unicode keeps these code points free
for such uses. Newlines of the source are mere white space in HTML."""
_LEFT_OUT = ""
"""Stands where an element was left out."""
_DIGITS_MEET = re.compile(f"{_SEAM}(?<=\\d{_SEAM}){_SEAM}*(?=\\d)")
_FOREIGN = str.maketrans("", "", _LINE + _MARKED + _SEAM)
DEEPEST = 100


def cell_text(cell: LexborNode, hidden: Hidden = NOTHING) -> str:
    """Text of an element; blocks (and labels such as dates or affiliations) are separated by newlines.

    A table in a cell is not part of it. A badge before other text of its line follows that text. Numbers of two
    elements stay two numbers.

    Args:
        cell: the element.
        hidden: what is not displayed.
    """
    first = cell.first_child
    if first is None:
        return ""
    if first.next is None:
        if (text := first.text_content) is not None:
            return collapsed(text)
        if (text := _alone(first, hidden)) is not None:
            return collapsed(text)
    out = _collected(cell, hidden.either)
    shown = _shown(out)
    return (
        shown if shown or not hidden.decorative or _LEFT_OUT not in out else _shown(_collected(cell, hidden.unseen))
    )


def _alone(node: LexborNode, hidden: Hidden) -> str | None:
    """The text of elements in one another that hold nothing else, None where there is more.

    What an element means (a line, a badge, a seam) matters only beside other text.
    """
    for _ in range(DEEPEST):
        if (tag := node.tag) in _SKIPPED or tag == "table":
            return None
        if hidden.either and node.mem_id in hidden.either:
            return None
        inner = node.first_child
        if inner is None or inner.next is not None:
            return None
        if (text := inner.text_content) is not None:
            return text if text.isascii() else text.translate(_FOREIGN)
        node = inner
    return None


def _collected(cell: LexborNode, left_out: frozenset[int]) -> list[str]:
    out: list[str] = []
    _collect(cell, out, left_out, 0)
    return out


def _shown(out: list[str]) -> str:
    text = "".join(out)
    if _SEAM in text:
        text = _DIGITS_MEET.sub(" ", text).replace(_SEAM, "")
    lines = text.split(_LINE)
    if _MARKED in text:
        lines = [piece for line in lines for piece in (_badges_last(line) if _MARKED in line else (line,))]
    return "\n".join(filter(None, map(collapsed, lines)))


def _badges_last(line: str) -> list[str]:
    """Badges and the text beside them, each as a line of its own; badges before a text come behind it."""
    pieces = line.split(_MARKED)
    beside = [piece for piece in pieces[::2] if piece.strip()]
    if not pieces[0].strip() and beside and beside[0].lstrip()[0].isalnum():
        return [*beside, *pieces[1::2]]
    return pieces


def _collect(node: LexborNode, out: list[str], left_out: frozenset[int], depth: int) -> None:
    for child in node.iter(include_text=True):
        if (text := child.text_content) is not None:
            out.append(text if text.isascii() else text.translate(_FOREIGN))
            continue
        tag = child.tag or ""
        if tag in _SKIPPED:
            continue
        if left_out and child.mem_id in left_out:
            out.append(_LEFT_OUT)
            continue
        if tag == "table":
            out.append(_LINE)
            continue
        opening, closing = _edges(child, tag, out)
        if opening:
            out.append(opening)
        first = child.first_child
        if first is not None and first.next is None and (text := first.text_content) is not None:
            out.append(text if text.isascii() else text.translate(_FOREIGN))  # mostly; it spares a call
        elif depth > DEEPEST:
            out.append(child.text(deep=True, separator=" ").translate(_FOREIGN))
        elif first is not None:
            _collect(child, out, left_out, depth + 1)
        if closing:
            out.append(closing)


def _edges(node: LexborNode, tag: str, out: list[str]) -> tuple[str, str]:
    """What stands before and behind the text of an element."""
    if tag in _BLOCKS:
        return _LINE, _LINE
    if tag in _LABELLED and (classes := node.attributes.get("class")):
        if _is_badge(classes):
            return _MARKED, _MARKED
        if tag == "span" and _is_apart(classes):
            return _LINE, _LINE
    if tag in _SCRIPTS and _follows_text(out):
        return _SCRIPTS[tag], ")"
    return ("", "") if tag in _NO_MEANING else (_SEAM, _SEAM)


def _follows_text(out: list[str]) -> bool:
    """Whether there is text on the same line."""
    for part in reversed(out):
        _, line, after = part.rpartition(_LINE)
        if after.strip(_SEAM + _MARKED + " \t\r\n\f"):
            return True
        if line:
            return False
    return False


@lru_cache(maxsize=1024)
def _is_badge(classes: str) -> bool:
    return bool(_BADGE.search(classes))


@lru_cache(maxsize=1024)
def _is_apart(classes: str) -> bool:
    return bool(_APART.search(classes))
