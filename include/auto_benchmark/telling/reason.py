"""Reasons that people give: text that says something and that the database can keep."""

from __future__ import annotations

import re

from auto_benchmark.tables.hidden import without_hidden

_NOT_STORABLE = re.compile("[\x00\ud800-\udfff]")


def storable(text: str) -> str:
    """The text. Raises ValueError where it holds a NUL or half of a character, which no database keeps."""
    if _NOT_STORABLE.search(text):
        raise ValueError("holds a NUL or half of a character")
    return text


def as_reason(text: str, *, at_least: int = 1) -> str:
    """The text without blanks around it.

    Args:
        text: as given.
        at_least: characters that a reader sees.

    Raises:
        ValueError: it has fewer (blanks and what is drawn as nothing do not count), or cannot be stored.
    """
    if len(without_hidden(storable(text)).strip()) < at_least:
        what = "is blank" if at_least == 1 else f"should say something in at least {at_least} characters"
        raise ValueError(what)
    return text.strip()
