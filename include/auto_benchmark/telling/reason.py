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
        ValueError: it has fewer (blanks and what is drawn as nothing do not count), cannot be stored, or is marks alone,
            such as the ``…`` that stands where a command is shown.
    """
    seen = without_hidden(storable(text)).strip()
    if len(seen) < at_least:
        what = "is blank" if at_least == 1 else f"should say something in at least {at_least} characters"
        raise ValueError(what)
    if seen and not any(character.isalnum() for character in seen):
        raise ValueError(f"is a placeholder, {seen[:20]!r}: say in words why")
    return text.strip()
