"""The text of an HTML element as a person sees it."""

from __future__ import annotations

import re
from functools import lru_cache
from typing import Any

from lxml import etree

from auto_benchmark.tables.markup import collapsed

_NOT_SHOWN = "script style template noscript select option datalist s del strike svg"
_SKIPPED = frozenset(_NOT_SHOWN.split())
_OWN_LINE = """
    p div br li ul ol dl dt dd h1 h2 h3 h4 h5 h6 tr td th table section article header footer hr details summary small
    figure figcaption blockquote pre center
"""
_BLOCKS = frozenset(_OWN_LINE.split())
_APART = re.compile(
    r"(?i)(?:^|[\s_-])(badge|label|tag|chip|pill|affiliation|institution|organi[sz]ation|org|date|tooltip|subtitle|muted)"
    r"(?:$|[\s_-])"
)
_SCRIPTS = {"sup": "^(", "sub": "_("}
_LINE = "\u2029"
"""Stands between blocks. Newlines of the source are mere white space in HTML."""
DEEPEST = 100
_NO_DISPLAY = re.compile(r"(?i)\b(?:display\s*:\s*none|visibility\s*:\s*hidden)")
_NOT_ON_DESKTOPS = re.compile(r"d-(?:sm|md|lg|xl)-none|(?:sm|md|lg|xl):hidden|visible-xs(?:-\w+)?|hidden-lg")
_ON_DESKTOPS = re.compile(r"d-(?:lg|xl|xxl)-(?!none)|(?:lg|xl|2xl):(?:block|flex|inline|table)|visible-(?:md|lg)")
_HIDING = frozenset({"d-none", "sr-only", "visually-hidden", "hidden", "is-hidden"})


def hidden(node: Any) -> bool:
    """Not displayed, as far as the page itself says."""
    if node.get("hidden") is not None:
        return True
    style = node.get("style")
    if style and _NO_DISPLAY.search(style):
        return True
    classes = node.get("class")
    if not classes:
        return False
    names = set(classes.split())
    if any(map(_NOT_ON_DESKTOPS.fullmatch, names)):
        return not any(map(_ON_DESKTOPS.match, names))
    return bool(names & _HIDING) and not any(re.match(r"(?:d-\w+-|\w+:)", name) for name in names)


_CLASSES = etree.XPath(".//@class", smart_strings=False)
_STYLES = etree.XPath(".//@style", smart_strings=False)
_PERHAPS_HIDDEN = etree.XPath(".//*[@hidden or @class or @style]")
_HIDDEN_ATTRIBUTE = etree.XPath("boolean(.//@hidden)")
_TELLTALE = re.compile(r"(?i)none|hidden|sr-only|visible-")
_NO_MEANING = ("a", "b", "strong", "i", "em", "u", "font", "tt", "code", "mark", "abbr")


def prepare(scope: Any) -> None:
    """Take out of the tables in ``scope`` (itself perhaps one) what is not displayed, and tags that mean nothing.

    Whole tables stay, since tabs hide them. A table's ``hidden-rows`` attribute tells how many rows it lost.
    """
    if _HIDDEN_ATTRIBUTE(scope) or any(map(_TELLTALE.search, {*_CLASSES(scope), *_STYLES(scope)})):
        _drop_hidden(scope)
    etree.strip_tags(scope, *_NO_MEANING)


def _drop_hidden(scope: Any) -> None:
    for node in _PERHAPS_HIDDEN(scope):
        if not hidden(node) or node.tag == "table" or node.find(".//table") is not None:
            continue
        if node.getparent() is None or next(node.iterancestors("table"), None) is None:
            continue
        if node.tag == "tr":
            table = next(node.iterancestors("table"))
            table.set("hidden-rows", str(int(table.get("hidden-rows") or 0) + 1))
        _drop(node)


def _drop(node: Any) -> None:
    """Remove an element but not the text that follows it."""
    parent, before = node.getparent(), node.getprevious()
    if node.tail and before is not None:
        before.tail = (before.tail or "") + node.tail
    elif node.tail:
        parent.text = (parent.text or "") + node.tail
    parent.remove(node)


def cell_text(cell: Any) -> str:
    """Text of an element; blocks (and labels such as dates or affiliations) are separated by newlines."""
    if not len(cell):
        return collapsed(text) if (text := cell.text) else ""
    out: list[str] = []
    _collect(cell, out, 0)
    text = "".join(out)
    if _LINE not in text:
        return collapsed(text)
    return "\n".join([line for part in text.split(_LINE) if (line := collapsed(part))])


def _collect(node: Any, out: list[str], depth: int) -> None:
    if text := node.text:
        out.append(text)
    for child in node:
        tag = child.tag
        closing = ""
        if tag in _BLOCKS or (tag == "span" and _apart(child.get("class"))):
            out.append(_LINE)
            closing = _LINE
        elif tag in _SCRIPTS and _follows_text(out):
            out.append(_SCRIPTS[tag])
            closing = ")"
        if len(child):
            if depth > DEEPEST:
                out.append(" ".join(child.itertext()))
            elif tag not in _SKIPPED:
                _collect(child, out, depth + 1)
        elif (text := child.text) and tag not in _SKIPPED:
            out.append(text)
        out.append(closing)
        if text := child.tail:
            out.append(text)


def _follows_text(out: list[str]) -> bool:
    """Whether there is text on the same line."""
    for part in reversed(out):
        _, line, after = part.rpartition(_LINE)
        if after.strip():
            return True
        if line:
            return False
    return False


@lru_cache(maxsize=1024)
def _apart(classes: str | None) -> bool:
    return classes is not None and bool(_APART.search(classes))
