"""What of an HTML page is not displayed, as far as the page itself says."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass

from selectolax.lexbor import LexborNode

_NO_DISPLAY = re.compile(r"(?i)\b(?:display\s*:\s*none|visibility\s*:\s*hidden)")
_NOT_ON_DESKTOPS = re.compile(r"d-(?:sm|md|lg|xl)-none|(?:sm|md|lg|xl):hidden|visible-xs(?:-\w+)?|hidden-lg")
_ON_DESKTOPS = re.compile(r"d-(?:lg|xl|xxl)-(?!none)|(?:lg|xl|2xl):(?:block|flex|inline|table)|visible-(?:md|lg)")
_HIDING = frozenset({"d-none", "sr-only", "visually-hidden", "hidden", "is-hidden"})
_TELLTALE = {
    b"none": "[style*=none i],[class*=none]",
    b"hidden": "[hidden],[class*=hidden]",
    b"aria-hidden": "[aria-hidden]",
    b"visibility": "[style*=hidden i]",
    b"sr-only": "[class*=sr-only]",
    b"visible-": "[class*=visible-]",
}
"""Word of a page's source -> elements that it may hide."""
_PLACES = frozenset({"table", "thead", "tbody", "tfoot", "tr", "td", "th"})


@dataclass(frozen=True, slots=True)
class Hidden:
    """Elements of one page, by ``mem_id``.

    Attributes:
        unseen: not displayed.
        decorative: displayed, but declared to be no content (``aria-hidden``): left out where there is other text.
        either: both.
    """

    unseen: frozenset[int] = frozenset()
    decorative: frozenset[int] = frozenset()
    either: frozenset[int] = frozenset()


NOTHING = Hidden()


def hidden_in(root: LexborNode, text: str) -> Hidden:
    """The elements below ``root`` that are not displayed; whole tables are, since tabs hide them.

    Args:
        root: the page.
        text: its source, which mostly shows that nothing is hidden.
    """
    lower = text.encode(errors="replace").lower()  # a text beyond ASCII takes four times as long
    perhaps = ",".join([selector for word, selector in _TELLTALE.items() if word in lower])
    if not perhaps:
        return NOTHING
    unseen, decorative = set(), set()
    for node in root.css(perhaps):
        attributes = node.attributes
        if node.tag != "table" and _not_displayed(attributes):
            unseen.add(node.mem_id)
        elif attributes.get("aria-hidden") == "true" and node.tag not in _PLACES:
            decorative.add(node.mem_id)
    return Hidden(frozenset(unseen), frozenset(decorative), frozenset(unseen | decorative))


def _not_displayed(attributes: Mapping[str, str | None]) -> bool:
    if "hidden" in attributes:
        return True
    style = attributes.get("style")
    if style and _NO_DISPLAY.search(style):
        return True
    names = set((attributes.get("class") or "").split())
    if any(map(_NOT_ON_DESKTOPS.fullmatch, names)):
        return not any(map(_ON_DESKTOPS.match, names))
    return bool(names & _HIDING) and not any(re.match(r"(?:d-\w+-|\w+:)", name) for name in names)
