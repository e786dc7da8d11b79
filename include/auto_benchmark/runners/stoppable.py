"""A runner that a task which is killed on purpose can end: no attempt begins after that, and none counts."""

from __future__ import annotations

import threading
from collections.abc import Mapping

from auto_benchmark.runners.runner import OnProgress, Runner, RunResult, TrialRequest


class StoppedError(Exception):
    """The task that followed the trial was told to stop; the trial is neither done nor failed."""


class StoppableRunner:
    """Another runner, until it is stopped.

    A container that is taken away looks like one that was lost, and what was lost is begun again. This keeps a task that
    takes its own container away from making another.

    Args:
        inner: runs the trials.
    """

    def __init__(self, inner: Runner) -> None:
        self._inner, self._stopped = inner, threading.Event()

    @property
    def name(self) -> str:
        """Of the place."""
        return self._inner.name

    @property
    def isolated_by(self) -> tuple[str, ...]:
        """See :class:`Runner`."""
        return self._inner.isolated_by

    @property
    def not_isolated(self) -> tuple[str, ...]:
        """See :class:`Runner`."""
        return self._inner.not_isolated

    def facts(self, image: str) -> Mapping[str, str]:
        """See :class:`Runner`."""
        return self._inner.facts(image)

    def stop(self) -> None:
        """Let no further attempt begin or count."""
        self._stopped.set()

    def run(
        self, request: TrialRequest, *, on_progress: OnProgress | None = None, cancel: threading.Event | None = None
    ) -> RunResult:
        """One attempt.

        Raises:
            StoppedError: the runner was stopped before the attempt ended.
        """
        self._check()
        result = self._inner.run(request, on_progress=on_progress, cancel=cancel)
        self._check()
        return result

    def _check(self) -> None:
        if self._stopped.is_set():
            raise StoppedError("the task that follows the trial was killed")
