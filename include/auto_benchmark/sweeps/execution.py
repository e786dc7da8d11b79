"""Runs what is missing of a benchmark sweep: process by process, attempt by attempt, until all have ended."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from datetime import UTC, datetime

from auto_benchmark.artifacts.sweep_folder import Record, SweepFolder
from auto_benchmark.contract.failure import FailureClass
from auto_benchmark.contract.trial import TrialState
from auto_benchmark.experiments.trials.attempt import execute_seeds
from auto_benchmark.grid.outcome import FailedAttempt, RunOutcome, progress_line
from auto_benchmark.grid.plan import GridRun, batches
from auto_benchmark.project.bench import TrialOutcome, TrialSpec, short_hash
from auto_benchmark.spelling import did_you_mean
from auto_benchmark.sweeps.budget import SweepSpending
from auto_benchmark.sweeps.setup import Sweep

Say = Callable[[str], None]
NO_PRIMARY = "there is no metric"


class Execution:
    """Runs what is missing, process by process side by side, the attempts of each one after the other."""

    def __init__(self, sweep: Sweep, folder: SweepFolder, say: Say, parallel: int) -> None:
        self.sweep, self.folder, self.say, self.parallel = sweep, folder, say, parallel
        self.stop = threading.Event()
        self.lock = threading.Lock()
        self.outcomes: list[RunOutcome] = []
        self.spending = SweepSpending(sweep.spec.budget, sweep.cost, self.stop)
        self.started, self.before = time.monotonic(), 0

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

    def _run_all(self, waiting: Sequence[GridRun]) -> None:
        self.started, self.before = time.monotonic(), len(self.outcomes)
        size = self.sweep.solution.solution.seeds_per_process
        with ThreadPoolExecutor(self.parallel, thread_name_prefix="sweep") as pool, self.spending.watched():
            futures = [pool.submit(self._finish, batch) for batch in batches(waiting, size)]
            try:
                for future in futures:
                    future.result()
            except BaseException:
                self.stop.set()
                pool.shutdown(wait=True, cancel_futures=True)
                raise

    def _note(self, outcome: RunOutcome) -> None:
        spec = self.sweep.spec
        with self.lock:
            self.outcomes.append(outcome)
            done, total = len(self.outcomes), len(self.sweep.runs)
            left = (time.monotonic() - self.started) / (done - self.before) * (total - done)
            line = progress_line(
                outcome, primary=spec.metrics.primary, done=done, total=total, left_s=left,
                several=len(spec.datasets) > 1,
            )  # fmt: skip
            self.say(line)

    def _known(self, run: GridRun) -> RunOutcome | None:
        """The outcome of a run that has ended already, with its primary metric."""
        outcome = self.folder.finished(run)
        if outcome is not None and self.sweep.spec.metrics.primary in outcome.metrics:
            return outcome
        record = self.folder.record(run)
        if record.finished_at is None or outcome is not None:
            return None
        wall_s = sum(a.wall_s for a in record.failed_attempts)
        return RunOutcome(run, record.finished_at, wall_s, record.failed_attempts)

    def _finish(self, runs: Sequence[GridRun]) -> None:
        """Attempt the runs of one process until each has a score or no attempt is left, or the budget is gone."""
        left = [run for run in runs if not self._has_failed_for_good(run)]
        while left:
            with self.spending.attempts(len(left)) as allowed:
                left = left[:allowed]
                ended = self._attempt(left) if left else []
            left = [run for run, outcome in zip(left, ended, strict=True) if self._goes_on(run, outcome)]

    def _attempt(self, runs: Sequence[GridRun]) -> list[TrialOutcome]:
        """One process for runs that differ in the seed alone."""
        spec, (first, *_) = self.sweep.spec, runs
        specs = [
            TrialSpec(
                id=f"ab-{short_hash(self.folder.path, run.id)}-sweep-{run.seed}",
                params=self.sweep.params[run.configuration.name],
                seed=run.seed,
                stage=run.dataset.stage,
                budget_s=spec.budget.trial_s,
            )
            for run in runs
        ]
        folders = [self.folder.run_folder(run) for run in runs]
        return execute_seeds(specs, self.sweep.benches[first.dataset.task], folders, cancel=self.stop, retry=False)

    def _goes_on(self, run: GridRun, outcome: TrialOutcome) -> bool:
        """Write down how an attempt ended; whether another one follows."""
        if outcome.state is TrialState.CANCELLED or (outcome.failure and self.stop.is_set()):
            return False
        record, failed = self.folder.record(run), self._failure(run, outcome)
        if failed is None:
            self._note(self._ended(run, record, state="done"))
            return False
        failed = replace(failed, log=self.folder.keep_failed_log(run, len(record.failed_attempts) + 1))
        record = Record((*record.failed_attempts, failed))
        self.folder.write_record(run, record, state="open")
        if failed.failure == FailureClass.BAD_OUTPUT and failed.message.startswith(NO_PRIMARY):
            self._note(self._ended(run, record, state="failed"))
            return False
        return not self._has_failed_for_good(run)

    def _failure(self, run: GridRun, outcome: TrialOutcome) -> FailedAttempt | None:
        """Why an attempt gave no score; None when it gave one."""
        if outcome.state is not TrialState.DONE:
            return FailedAttempt(str(outcome.failure or outcome.state), outcome.message, outcome.wall_s, "")
        finished, primary = self.folder.finished(run), self.sweep.spec.metrics.primary
        names = set(finished.metrics) if finished else set()
        return None if primary in names else FailedAttempt("bad_output", _missing(primary, names), outcome.wall_s, "")

    def _has_failed_for_good(self, run: GridRun) -> bool:
        """Whether no attempt is left; the run has ended then."""
        record = self.folder.record(run)
        if len(record.failed_attempts) <= self.sweep.spec.max_reruns:
            return False
        self._note(self._ended(run, record, state="failed"))
        return True

    def _ended(self, run: GridRun, record: Record, *, state: str) -> RunOutcome:
        self.folder.write_record(run, replace(record, finished_at=datetime.now(UTC)), state=state)
        known = self._known(run)
        if known is None:
            raise LookupError(f"run {run.id} has no result after it ended")
        return known


def _missing(primary: str, names: set[str]) -> str:
    hint = did_you_mean(primary, names) or f"; there are {', '.join(sorted(names))}"
    return f"{NO_PRIMARY} {primary!r}{hint}"
