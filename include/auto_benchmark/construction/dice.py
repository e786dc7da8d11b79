"""Random choices that a name fixes: the same parts give the same draws on every platform."""

from __future__ import annotations

import random


def dice(*parts: object) -> random.Random:
    """A generator seeded by the parts, joined as text (Python seeds from text through SHA-512)."""
    return random.Random("/".join(map(str, parts)))  # noqa: S311 - no secret depends on it
