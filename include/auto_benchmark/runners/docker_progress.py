"""Progress of a running container, by asking for new log lines again and again.

An attached stream waits for ever on a container that is gone and breaks on one that is silent; a bounded question
with ``since`` does neither.
"""

from __future__ import annotations

from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from docker.errors import APIError

from auto_benchmark.runners.progress import ProgressLines
from auto_benchmark.runners.runner import OnProgress


class ProgressReader:
    """Hands on each progress line of a container once."""

    def __init__(self, api: Any, container: str, on_progress: OnProgress | None) -> None:
        self._api, self._container, self._wanted = api, container, on_progress is not None
        self._lines = ProgressLines(on_progress)
        self._last = ""

    def read(self) -> None:
        """Hand on what came since the last call."""
        if not self._wanted:
            return
        since = _epoch(self._last) if self._last else None
        try:
            logged = self._api.logs(self._container, stderr=False, timestamps=True, since=since)
        except APIError:  # its log is gone or being rotated; state is read elsewhere
            return
        seen = self._last
        for row in logged.splitlines():
            stamp, _, line = row.partition(b" ")
            moment = stamp.decode("ascii", "replace")
            if moment > seen:
                self._lines.take(line)
                self._last = moment

    def complete(self, log: Path) -> None:
        """Hand on what the engine's log has lost, from the trial's own."""
        self._lines.complete(log)


def _epoch(stamp: str) -> int:
    """Whole seconds since 1970 of an engine timestamp; lines of one second are told apart by their own stamps."""
    return int(datetime.strptime(stamp[:19], "%Y-%m-%dT%H:%M:%S").replace(tzinfo=UTC).timestamp())
