"""Acronyms and the words that they stand for: "Cascade Reward Sampling (CARDS)"."""

from __future__ import annotations

import re
from collections.abc import Sequence

_ARTICLE = re.compile(r"^(?:a|an|the|our|novel|new|two|three)\s+", re.IGNORECASE)


def spelt_out(words: Sequence[str], acronym: str) -> str | None:
    """The last of ``words`` that make up ``acronym``, or None.

    Their initials do (small words may be skipped), or its letters run through them and most words give their first.
    """
    letters = [c.lower() for c in acronym if c.isupper()]
    loose = None
    for width in range(2, min(len(words), 8) + 1):
        tail = words[-width:]
        parts = [p[0].lower() for word in tail for p in re.split(r"[-/]", word.strip("\"'*")) if p]
        if len(parts) < 2 or not letters or parts[0] != letters[0] or len(parts) > len(letters) + 2:
            continue
        name = _ARTICLE.sub("", " ".join(tail)).strip("\"'* ")
        if _common(letters, parts) == len(letters):
            return name
        if loose is None and (_common(letters, parts) >= max(2, len(letters) - 1) or _within(letters, tail)):
            loose = name
    return loose


def _within(letters: Sequence[str], words: Sequence[str]) -> bool:
    rest = iter("".join(words).lower())
    given = sum(word.strip("\"'*")[:1].lower() in letters for word in words)
    return all(letter in rest for letter in letters) and given * 3 >= len(words) * 2


def _common(letters: Sequence[str], parts: Sequence[str]) -> int:
    """How many of the letters stand among the initials, in order."""
    rest = iter(parts)
    return sum(letter in rest for letter in letters)
