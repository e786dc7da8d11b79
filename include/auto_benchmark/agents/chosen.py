"""What an agent says about its attempts: the one it chooses, and a title for what it did."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from auto_benchmark.agents.brief import PastAttempt
from auto_benchmark.agents.workspace import OURS, read_small
from auto_benchmark.documents import storable

CHOICE, TITLE = f"{OURS}/choice", f"{OURS}/title"
LONGEST_CHOICE, LONGEST_TITLE = 32, 160


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


def title_of(workspace: Path) -> str | None:
    """One line that the agent wrote to ``.ab/title`` about its last attempt; None where there is none."""
    text = read_small(workspace, TITLE, most=4 * LONGEST_TITLE)
    line = " ".join(storable(text or "").split())
    return line[:LONGEST_TITLE] or None
