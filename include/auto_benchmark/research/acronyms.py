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
    for width in range(2, min(len(words), 8) + 1):
        tail = words[-width:]
        parts = [p[0].lower() for word in tail for p in re.split(r"[-/]", word.strip("\"'*")) if p]
        if (
            len(parts) >= 2
            and letters
            and parts[0] == letters[0]
            and len(parts) <= len(letters) + 2
            and (_is_subsequence(letters, parts) or _within(letters, tail))
        ):
            return _ARTICLE.sub("", " ".join(tail)).strip("\"'* ")
    return None


def _within(letters: Sequence[str], words: Sequence[str]) -> bool:
    rest = iter("".join(words).lower())
    given = sum(word.strip("\"'*")[:1].lower() in letters for word in words)
    return all(letter in rest for letter in letters) and given * 3 >= len(words) * 2


def _is_subsequence(letters: Sequence[str], parts: Sequence[str]) -> bool:
    rest = iter(parts)
    return sum(letter in rest for letter in letters) >= min(len(letters), max(2, len(letters) - 1))
