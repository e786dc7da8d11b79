"""Characters that a reader does not see, and how they are shown to one.

The ranges are Unicode's *default ignorable* code points, controls, and letters and spaces that are drawn as nothing.
Ordinary white space is not among them.
"""

from __future__ import annotations

import re

HIDDEN = (
    "\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\u00ad\u034f\u0600-\u0605\u061c\u06dd\u070f\u08e2\u115f\u1160\u17b4\u17b5"
    "\u180b-\u180f\u200b-\u200f\u2028-\u202e\u2060-\u206f\u2800\u3164\ud800-\udfff\ufe00-\ufe0f\ufeff\uffa0\ufff0-\ufffb"
    "\U0001bca0-\U0001bca3\U0001d173-\U0001d17a\U000e0000-\U000e0fff"
)
"""The ranges, to be written between the brackets of a character class."""
_HIDDEN = re.compile(f"[{HIDDEN}]")


def has_hidden(text: str) -> bool:
    """Whether a text holds a character that is not seen."""
    return _HIDDEN.search(text) is not None


def without_hidden(text: str) -> str:
    """The text as a reader sees it."""
    return _HIDDEN.sub("", text)


def visible(text: str) -> str:
    """The text with every hidden character written out: ``Ours⟨U+200B⟩``."""
    return _HIDDEN.sub(lambda found: f"⟨U+{ord(found[0]):04X}⟩", text)
