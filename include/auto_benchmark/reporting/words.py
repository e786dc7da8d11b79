"""Numbers, moments and outcomes in the words of the reports: one form for each."""

from __future__ import annotations

import shlex
from collections.abc import Iterable
from datetime import datetime

MINUTES, SECONDS = "%Y-%m-%d %H:%M", "%Y-%m-%d %H:%M:%S"
OUTCOMES = {
    "promote": "promotion",
    "challenger": "challenger",
    "running": "running",
    "paused": "paused",
    "waits_for_approval": "waits for approval",
    "reject": "rejection",
    "rejected": "rejection (by a person)",
}
"""Outcome of an experiment -> its word in the log; every other outcome is a rejection that says which."""


def counted(n: int, one: str, many: str | None = None) -> str:
    """``1 seed``, ``3 seeds``; ``many`` where the plural takes more than an s."""
    return f"{n} {one if n == 1 else many or one + 's'}"


def percent(share: float, digits: int = 1) -> str:
    """``25.0 %``."""
    return f"{100 * share:.{digits}f} %"


def precision(moments: Iterable[datetime]) -> str:
    """The format in which these moments differ: to the minute, or to the second where several share a minute."""
    distinct = set(moments)
    return SECONDS if len({m.strftime(MINUTES) for m in distinct}) < len(distinct) else MINUTES


def verdict(outcome: str) -> str:
    """The log's one word for how an experiment ended: ``promotion``, ``rejection (futile)``."""
    return OUTCOMES.get(outcome, f"rejection ({outcome})")


def without_outcome(reason: str, outcome: str) -> str:
    """A reason without the outcome in front of it, which stands beside it already."""
    return reason.removeprefix(f"{outcome}: ")


def shell_word(text: str) -> str:
    """Text as one word of a POSIX shell's command line, whatever it holds.

    What cannot be seen (a line break, an escape, a mark of direction) is spelled out as bytes in ``$'...'``, which
    bash, zsh and ksh read: the command stays on one line and shows what it names.
    """
    if text.isprintable():
        return shlex.quote(text)
    spelled = (
        {"\\": "\\\\", "'": "\\'"}.get(c, c)
        if c.isprintable()
        else "".join(f"\\x{byte:02x}" for byte in c.encode("utf-8", "surrogateescape"))
        for c in text
    )
    return f"$'{''.join(spelled)}'"
