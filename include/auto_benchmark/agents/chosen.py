"""Which attempt an agent names as its final choice."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from auto_benchmark.agents.brief import PastAttempt
from auto_benchmark.agents.workspace import read_small

CHOICE = ".ab/choice"
LONGEST_CHOICE = 32


def chosen(workspace: Path, attempts: Sequence[PastAttempt]) -> int | None:
    """Number of the chosen attempt.

    The one named in ``.ab/choice`` where it was made, whether valid or not; else the last valid one; None where no
    attempt is valid and none is named.
    """
    text = read_small(workspace, CHOICE, most=LONGEST_CHOICE)
    named = (text or "").strip()
    made = {attempt.attempt for attempt in attempts}
    if named.isascii() and named.isdigit() and int(named) in made:
        return int(named)
    return max((attempt.attempt for attempt in attempts if attempt.valid), default=None)
