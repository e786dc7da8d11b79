"""``research_log.md``: every paper read, newest first, with what was found in it and what came of it."""

from __future__ import annotations

from collections.abc import Sequence

from auto_benchmark.reporting.render import render
from auto_benchmark.research.log import LoggedPaper, Skipped


def render_research_log(entries: Sequence[LoggedPaper], skipped: Sequence[Skipped] = ()) -> str:
    """The log in the mission's format; texts of papers are escaped."""
    return render("research_log.md.j2", entries=entries, skipped=skipped)
