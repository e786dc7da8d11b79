"""What a misspelt name was probably meant to be."""

from __future__ import annotations

import difflib
from collections.abc import Iterable


def closest(name: str, known: Iterable[str]) -> str | None:
    """The known name that resembles ``name`` most (Ratcliff & Obershelp, as difflib has it); None where none does."""
    return next(iter(difflib.get_close_matches(name, sorted(known), n=1)), None)


def did_you_mean(name: str, known: Iterable[str]) -> str:
    """``; did you mean 'accuracy'?`` to end a message with; empty where nothing resembles ``name``.

    The name itself may be known in another place; it is no advice.
    """
    near = closest(name, set(known) - {name})
    return "" if near is None else f"; did you mean {near!r}?"
