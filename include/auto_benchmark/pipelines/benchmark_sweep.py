"""``benchmark_sweep``: configurations x seeds x tasks -> ``BENCHMARK_REPORT.md``. Files only, no database.

Finished runs are never repeated: same spec and directory resume after any kind of end.
"""

from __future__ import annotations

import difflib
import threading
import time
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from auto_benchmark.artifacts.sweep_folder import Record, SweepFolder
from auto_benchmark.errors import InputError
from auto_benchmark.experiments.trial import FailureClass, TrialState
from auto_benchmark.pipelines.bench import Bench, TrialSpec
from auto_benchmark.pipelines.benches import short_hash
from auto_benchmark.pipelines.configuration import project_directory, shown
from auto_benchmark.pipelines.context import Context
from auto_benchmark.pipelines.sweep_budget import SweepSpending
from auto_benchmark.pipelines.sweep_report import write_report
from auto_benchmark.pipelines.sweep_setup import Sweep, load_sweep
from auto_benchmark.pipelines.trial import execute
from auto_benchmark.settings import Settings
from auto_benchmark.sweeps.outcome import FailedAttempt, RunOutcome, progress_line
from auto_benchmark.sweeps.plan import Run

Say = Callable[[str], None]


def run(settings: Settings, file: Path, out: Path, *, say: Say = lambda _: None) -> dict[str, Any]:
    """Run or resume a sweep to its end and write the report.

    Returns:
        ``{"name", "runs", "done", "failed", "waiting", "report", "ranking": [...], "comparisons": [...]}``.

    Raises:
        ConfigError: for a faulty spec.
        RefusedError: the directory is in use, or belongs to another sweep.
    """
    sweep = load_sweep(settings, file)
    folder = SweepFolder(out)
    with folder.locked():
        folder.belongs_to(sweep.identity, file.read_bytes())
        outcomes = _Execution(sweep, folder, say, settings.parallel_trials).run()
        return write_report(sweep, folder, outcomes, say)


def run_in_project(ctx: Context, *, spec: str, out: str = "") -> dict[str, Any]:
    """:func:`run` for a project: ``spec`` lies in its configuration folder, results in its home, unless absolute.

    Returns:
        ``{"name", "runs", "done", "failed", "report"}``.
    """
    file = project_directory(ctx.settings, ctx.project) / spec
    if not file.is_file():
        raise InputError(f"no sweep spec {shown(file)}")
    told = run(ctx.settings, file, ctx.home / "sweeps" / (out or file.stem), say=ctx.say)
    return {name: told[name] for name in ("name", "runs", "done", "failed", "report")}


@dataclass(frozen=True, slots=True)
class _Stopped:
    """A run that did not end: the budget is spent or the sweep was told to stop."""


class _Execution:
    """Runs what is missing, side by side, each run's attempts one after the other."""

    def __init__(self, sweep: Sweep, folder: SweepFolder, say: Say, parallel: int) -> None:
        self.sweep, self.folder, self.say, self.parallel = sweep, folder, say, parallel
        self.stop = threading.Event()
        self.lock = threading.Lock()
        self.outcomes: list[RunOutcome] = []
        self.spending = SweepSpending(sweep.spec.budget, sweep.cost, self.stop)

    def run(self) -> list[RunOutcome]:
        """Outcomes of all runs that have ended, those of earlier calls included."""
        waiting = []
        for run in self.sweep.runs:
            known, record = self._known(run), self.folder.record(run)
            if known is None:
                waiting.append(run)
                self.spending.had(len(record.failed_attempts), sum(a.wall_s for a in record.failed_attempts))
                continue
            if record.finished_at is None:  # killed between the result and its record
                known = self._ended(run, record, state="done")
            self.outcomes.append(known)
            self.spending.had(known.attempts, known.wall_s)
        if self.outcomes:
            self.say(f"resuming: {len(self.outcomes)} of {len(self.sweep.runs)} runs are finished")
        self._run_all(waiting)
        if self.spending.exhausted:
            left = len(self.sweep.runs) - len(self.outcomes)
            self.say(f"stopped: {self.spending.exhausted}; {left} runs were not run")
        return self.outcomes

    def _run_all(self, waiting: Sequence[Run]) -> None:
        started, before = time.monotonic(), len(self.outcomes)

        def one(run: Run) -> None:
            outcome = self._finish(run)
            if not isinstance(outcome, RunOutcome):
                return
            with self.lock:
                self.outcomes.append(outcome)
                done = len(self.outcomes)
                left = (time.monotonic() - started) / (done - before) * (len(self.sweep.runs) - done)
                self.say(self._progress(outcome, done, left))

        with ThreadPoolExecutor(self.parallel, thread_name_prefix="sweep") as pool, self.spending.watched():
            futures = [pool.submit(one, run) for run in waiting]
            try:
                for future in futures:
                    future.result()
            except BaseException:
                self.stop.set()
                pool.shutdown(wait=True, cancel_futures=True)
                raise

    def _progress(self, outcome: RunOutcome, done: int, left_s: float) -> str:
        spec = self.sweep.spec
        return progress_line(
            outcome, primary=spec.metrics.primary, done=done, total=len(self.sweep.runs), left_s=left_s,
            several=len(spec.datasets) > 1,
        )  # fmt: skip

    def _known(self, run: Run) -> RunOutcome | None:
        """The outcome of a run that has ended already, with its primary metric."""
        outcome = self.folder.finished(run)
        if outcome is not None and self.sweep.spec.metrics.primary in outcome.metrics:
            return outcome
        record = self.folder.record(run)
        if record.finished_at is None or outcome is not None:
            return None
        wall_s = sum(a.wall_s for a in record.failed_attempts)
        return RunOutcome(run, record.finished_at, wall_s, record.failed_attempts)

    def _finish(self, run: Run) -> RunOutcome | _Stopped:
        """Attempt a run until it has a score or no attempt is left."""
        while True:
            record = self.folder.record(run)
            if len(record.failed_attempts) > self.sweep.spec.max_reruns:
                return self._ended(run, record, state="failed")
            with self.spending.attempt() as allowed:
                if not allowed:
                    return _Stopped()
                failed = self._attempt(run)
            if isinstance(failed, _Stopped):
                return failed
            if failed is None:
                return self._ended(run, record, state="done")
            number = len(record.failed_attempts) + 1
            failed = replace(failed, log=self.folder.keep_failed_log(run, number))
            record = Record((*record.failed_attempts, failed))
            self.folder.write_record(run, record, state="open")
            if failed.failure == FailureClass.BAD_OUTPUT and failed.message.startswith(NO_PRIMARY):
                return self._ended(run, record, state="failed")

    def _attempt(self, run: Run) -> FailedAttempt | _Stopped | None:
        """One attempt; None when it gave a score."""
        spec = self.sweep.spec
        bench: Bench = self.sweep.benches[run.dataset.task]
        trial = TrialSpec(
            id=f"ab-{short_hash(self.folder.path, run.id)}-sweep-{run.seed}",
            params=self.sweep.params[run.configuration.name],
            seed=run.seed,
            stage=run.dataset.stage,
            budget_s=spec.budget.trial_s,
        )
        outcome = execute(trial, bench, self.folder.run_folder(run), cancel=self.stop, retry=False)
        if outcome.state is TrialState.CANCELLED or (outcome.failure and self.stop.is_set()):
            return _Stopped()
        if outcome.state is TrialState.DONE:
            finished = self.folder.finished(run)
            names = set(finished.metrics) if finished else set()
            if spec.metrics.primary in names:
                return None
            return FailedAttempt("bad_output", _missing(spec.metrics.primary, names), outcome.wall_s, "")
        return FailedAttempt(str(outcome.failure or outcome.state), outcome.message, outcome.wall_s, "")

    def _ended(self, run: Run, record: Record, *, state: str) -> RunOutcome:
        self.folder.write_record(run, replace(record, finished_at=datetime.now(UTC)), state=state)
        known = self._known(run)
        if known is None:
            raise LookupError(f"run {run.id} has no result after it ended")
        return known


NO_PRIMARY = "there is no metric"


def _missing(primary: str, names: set[str]) -> str:
    close = difflib.get_close_matches(primary, names, n=1)
    hint = f"; did you mean {close[0]!r}?" if close else f"; there are {', '.join(sorted(names))}"
    return f"{NO_PRIMARY} {primary!r}{hint}"
