"""The text of an HTML element as a person sees it."""

from __future__ import annotations

import re
from typing import Any

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
_NO_DISPLAY = re.compile(r"(?i)\b(?:display\s*:\s*none|visibility\s*:\s*hidden)")
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
    return bool(names & _HIDING) and not any(re.match(r"(?:d-\w+-|\w+:)", name) for name in names)


_WORDS = (" hidden", "-hidden", '"hidden', "'hidden", ":hidden", "display:", "display :", "d-none", "sr-only")
_TELLTALE = (*_WORDS, *(word.upper() for word in _WORDS))
_PERHAPS_HIDING = (
    "//@hidden | //@style[contains(., 'none') or contains(., 'hidden')]"
    " | //@class[contains(., 'hidden') or contains(., 'd-none') or contains(., 'sr-only')]"
)


def drop_hidden(root: Any, text: str) -> None:
    """Take everything out of the page's tables that is not displayed.

    Whole tables stay, since tabs hide them. A table's ``hidden-rows`` attribute tells how many rows it lost.
    """
    if not _may_hide(text.replace("aria-hidden", "")):
        return
    for attribute in root.xpath(_PERHAPS_HIDING):
        node = attribute.getparent()
        if not hidden(node) or node.tag == "table" or node.find(".//table") is not None:
            continue
        if node.getparent() is None or next(node.iterancestors("table"), None) is None:
            continue
        if node.tag == "tr":
            table = next(node.iterancestors("table"))
            table.set("hidden-rows", str(int(table.get("hidden-rows") or 0) + 1))
        _drop(node)


def _may_hide(text: str) -> bool:
    """Whether a telltale word stands inside a tag. Most pages hide nothing, and asking every element takes long."""
    for word in _TELLTALE:
        at = text.find(word)
        while at >= 0:
            if text.rfind("<", 0, at) > text.rfind(">", 0, at):
                return True
            at = text.find(word, at + 1)
    return False


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
        return " ".join((cell.text or "").split())
    out: list[str] = []
    _collect(cell, out, 0)
    text = "".join(out)
    if "\n" not in text:
        return " ".join(text.split())
    return "\n".join(line for part in text.split("\n") if (line := " ".join(part.split())))


def _collect(node: Any, out: list[str], depth: int) -> None:
    if text := node.text:
        out.append(text)
    for child in node:
        tag = child.tag
        if tag not in _SKIPPED and isinstance(tag, str):
            _collect_child(child, tag, out, depth)
        if text := child.tail:
            out.append(text)


def _collect_child(child: Any, tag: str, out: list[str], depth: int) -> None:
    if depth > 100:
        out.append(" ".join(child.itertext()))
        return
    apart = tag in _BLOCKS or (tag == "span" and _APART.search(child.get("class") or ""))
    script = tag in {"sup", "sub"} and out and out[-1][-1:].strip()
    if apart:
        out.append("\n")
    if script:
        out.append("^(" if tag == "sup" else "_(")
    _collect(child, out, depth + 1)
    if script:
        out.append(")")
    if apart:
        out.append("\n")
