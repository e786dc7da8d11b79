"""What happens in a project, told line by line from the rows that record it."""

from __future__ import annotations

import time
from collections.abc import Callable

from sqlalchemy.orm import Session, sessionmaker

from auto_benchmark.contract.trial import TrialState
from auto_benchmark.db.repositories import records, trials

TELLING = {
    "rank_drop",
    "search",
    "decision",
    "promotion",
    "challenger",
    "rejection",
    "submission",
    "alert",
    "saturation",
    "adoption",
}


class Story:
    """Tells a project's decisions as they appear.

    Args:
        sessions: on the project database.
        project: whose story.
        say: told each line.
        began: on the monotonic clock; the lines' moments count from there.
    """

    def __init__(
        self, sessions: sessionmaker[Session], project: str, say: Callable[[str], None], *, began: float
    ) -> None:
        self.sessions, self.project = sessions, project
        self._say = say
        self._began = began
        self._last_log_id = 0
        self._last_progress = ""

    @property
    def seconds(self) -> float:
        """Since the story began."""
        return time.monotonic() - self._began

    def say(self, text: str) -> None:
        """One line with its moment."""
        self._say(f"{self.seconds:6.1f} s  {text}")

    def catch_up(self) -> None:
        """Tell what was recorded since the last call."""
        with self.sessions() as session:
            logged = records.logged(session=session, project=self.project, limit=200)
            counts = trials.counts(session=session, project=self.project)
        for entry in reversed(logged):
            if entry.id > self._last_log_id:
                self._last_log_id = entry.id
                if entry.kind in TELLING:
                    self.say(f"{entry.kind.replace('_', ' '):10} {entry.subject}: {entry.reason}")
        done = counts.get(TrialState.DONE, 0)
        waiting = counts.get(TrialState.PLANNED, 0) + counts.get(TrialState.RUNNING, 0)
        progress = f"trials     {done} done, {waiting} to go"
        if waiting and progress != self._last_progress:
            self._last_progress = progress
            self.say(progress)
