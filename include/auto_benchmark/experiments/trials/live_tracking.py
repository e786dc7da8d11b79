"""Follows trials while they train: their curves grow in MLflow, and no trial ever waits for that."""

from __future__ import annotations

import logging
import threading
from collections.abc import Sequence
from datetime import datetime
from pathlib import Path
from types import TracebackType

from sqlalchemy.exc import SQLAlchemyError

from auto_benchmark import atomic
from auto_benchmark.contract.record import Trial
from auto_benchmark.db.repositories import locks
from auto_benchmark.project.context import Context
from auto_benchmark.project.tracking import OPEN, Process, describe, journal, note_failure, points
from auto_benchmark.runners.runner import ProgressLine, RunResult
from auto_benchmark.tracking.mlflow_errors import RunRefusedError, TrackerAwayError
from auto_benchmark.tracking.mlflow_runs import MlflowRuns, load_client

log = logging.getLogger(__name__)
LIVE_EVERY_S = 5.0
"""Shorter trials are reported once, when they have ended."""
MOST_POINTS, MOST_VALUES = 5_000, 50_000


class Curve:
    """Collects a trial's progress, thinned by halves where it is endless."""

    def __init__(self) -> None:
        self.points: list[ProgressLine] = []
        self._every, self._seen, self._values = 1, 0, 0

    def __call__(self, progress: ProgressLine) -> bool:
        """Take one report; returns whether it was kept."""
        kept = self._seen % self._every == 0
        if kept:
            self.points.append(progress)
            self._values += len(progress.metrics)
        self._seen += 1
        if len(self.points) >= MOST_POINTS or self._values >= MOST_VALUES:
            self.points, self._every = self.points[::2], self._every * 2
            self._values = sum(len(point.metrics) for point in self.points)
        return kept


class LiveCurve:
    """The curve of trials that train in one process, sent to MLflow meanwhile where there is one.

    What MLflow misses is not lost: the journal holds the whole curve at the end. A process that fails and is followed
    by another has a run and a curve of its own.
    """

    def __init__(self, ctx: Context, trials: Sequence[Trial], folders: Sequence[Path], started: datetime) -> None:
        self.ctx = ctx
        self._trials = list(zip(trials, folders, strict=True))
        self._number, self._started, self._curve = 1, started, Curve()
        self._untold: list[ProgressLine] = []
        self._open: dict[int, str | None] = {}
        self._runs: MlflowRuns | None = None
        self._done, self._telling = threading.Event(), threading.Lock()
        self._thread = threading.Thread(target=self._follow, name=f"curve-{trials[0].id}", daemon=True)

    def __enter__(self) -> LiveCurve:
        if self.ctx.settings.mlflow_url is not None:
            self._thread.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        """End the telling; a call to MLflow that is under way is waited for, so that nothing follows the end."""
        self._done.set()
        if self._thread.ident is not None:
            self._thread.join()

    def __call__(self, progress: ProgressLine) -> None:
        """Take one report."""
        if self._curve(progress):
            self._untold.append(progress)

    @property
    def process(self) -> Process:
        """The present process, and all of its progress that was kept."""
        return Process(self._number, self._started, self._curve.points)

    def start_again(self, result: RunResult) -> None:
        """The process has failed as ``result`` says, and another one follows."""
        with self._telling:
            for trial, folder in self._trials:
                note_failure(self.ctx, trial, folder, self.process, result)
            self._number, self._started, self._curve = self._number + 1, self.ctx.now(), Curve()
            self._untold, self._open = [], {}

    def _follow(self) -> None:
        while not self._done.wait(LIVE_EVERY_S):
            with self._telling:
                self._tell_what_is_new()

    def _tell_what_is_new(self) -> None:
        fresh = list(self._untold)
        if not fresh:
            return
        try:
            if len(self._open) == len(self._trials) or self._begin():
                self._tell(fresh)
                del self._untold[: len(fresh)]
        except (TrackerAwayError, RunRefusedError, SQLAlchemyError, OSError) as error:
            log.warning("MLflow: %s; the curve is sent later", error)
            self._runs = None

    def _begin(self) -> bool:
        """Open the runs; False while somebody else does, or reports some.

        Two at once would make two parents of them, and two stores of a tracker that is a file.
        """
        load_client()
        with self.ctx.sessions() as session:
            if not locks.try_lock(session=session, project=self.ctx.project, what="tracking"):
                return False
            runs = self._connected()
            for trial, folder in self._trials:
                run = describe(self.ctx, trial, folder, self.process, state="running")
                atomic.write_text(journal(self.ctx) / f"{run.name}{OPEN}", "")  # before: a killed worker leaves it
                self._open[trial.id] = runs.begin(run)
        return True

    def _connected(self) -> MlflowRuns:
        self._runs = self._runs or MlflowRuns(self.ctx.settings.mlflow_url or "")
        return self._runs

    def _tell(self, fresh: Sequence[ProgressLine]) -> None:
        runs = self._connected()
        for trial, folder in self._trials:
            if run_id := self._open[trial.id]:
                run = describe(self.ctx, trial, folder, self.process, state="running", curve=points(fresh))
                runs.extend(run_id, run)
