"""Runs planned trials: each held under a lease that is kept alive while it trains, each finished exactly once."""

from __future__ import annotations

import logging
import threading
import time
from collections.abc import Sequence
from functools import partial
from pathlib import Path
from types import TracebackType
from typing import Any

from auto_benchmark.contract.failure import FailureClass
from auto_benchmark.contract.record import Trial, TrialResult
from auto_benchmark.contract.scoring import Scores
from auto_benchmark.contract.seed_batches import seed_batches
from auto_benchmark.contract.trial import TrialState
from auto_benchmark.db.repositories import experiments, trials
from auto_benchmark.errors import InputError
from auto_benchmark.experiments.allowance import why_stop
from auto_benchmark.experiments.search import pruning as search_pruning
from auto_benchmark.experiments.trials.attempt import execute_seeds
from auto_benchmark.experiments.trials.live_tracking import LiveCurve
from auto_benchmark.experiments.trials.words import TrialWords
from auto_benchmark.kinds import Purpose
from auto_benchmark.parallel import side_by_side
from auto_benchmark.project import tracking
from auto_benchmark.project.bench import Bench, TrialOutcome
from auto_benchmark.project.context import Context, new_owner

log = logging.getLogger(__name__)
LEASE_S = 20.0
HEARTBEAT_S = 4.0
POLL_S = 0.5


def run_trials(ctx: Context, trial_ids: Sequence[int], *, bench: Bench | None = None) -> list[Trial]:
    """Run trials side by side until every one of them is finished, by us or by another worker that holds them.

    Trials that the budget or a kill switch keeps from running come back as they are, planned.

    Raises:
        InputError: one of them is not the project's; none of its process runs then.
    """
    progress = _Progress(ctx, len(trial_ids))
    batches = _batches(ctx, trial_ids, (bench or ctx.bench).solution.solution.seeds_per_process)

    def ended(batch: Sequence[int]) -> list[Trial]:
        return [progress.note(trial) for trial in _until_finished(ctx, batch, bench)]

    done = side_by_side(
        [partial(ended, batch) for batch in batches], workers=ctx.settings.parallel_trials, name="trial"
    )
    found = {trial.id: trial for batch in done for trial in batch}
    return [found[trial_id] for trial_id in trial_ids]


def run_trial(ctx: Context, trial_id: int, *, bench: Bench | None = None) -> dict[str, Any]:
    """One trial to its end, or left planned when it may not run: ``{"trial_id", "state", "failure"}``.

    Where the solution trains several seeds at once, planned trials that differ in the seed alone run with it.

    Raises:
        InputError: the project has no such trial.
    """
    size = (bench or ctx.bench).solution.solution.seeds_per_process
    _get(ctx, trial_id)
    with ctx.sessions() as session:
        mates = trials.companions(session=session, trial_id=trial_id, limit=size - 1) if size > 1 else []
    trial = _until_finished(ctx, [trial_id], bench, mates=mates)[0]
    return {"trial_id": trial.id, "state": str(trial.state), "failure": trial.failure_class}


def _batches(ctx: Context, trial_ids: Sequence[int], size: int) -> list[list[int]]:
    """Trials by process, at most ``size`` in each."""
    once = list(trial_ids) if size == 1 else list(dict.fromkeys(trial_ids))
    return seed_batches(once, size, lambda trial_id: _get(ctx, trial_id).plan)


def _until_finished(
    ctx: Context, trial_ids: Sequence[int], bench: Bench | None, *, mates: Sequence[int] = ()
) -> list[Trial]:
    """Run trials in one process, or wait for the worker that does; ``mates`` run along where they are free."""
    while True:
        present = {trial_id: _get(ctx, trial_id) for trial_id in trial_ids}
        waiting = [t for t in present.values() if not t.state.is_finished]
        refused = {
            t.id: reason for t in waiting if t.state is TrialState.PLANNED and (reason := why_stop(ctx, t.plan))
        }
        for trial_id, reason in refused.items():
            plan = present[trial_id].plan
            ctx.say(f"not run: {plan.purpose} seed={plan.seed}: {reason}")
        wanted = [t.id for t in waiting if t.id not in refused]
        if not wanted:
            return list(present.values())
        owner = new_owner()
        wanted += mates
        with ctx.sessions.begin() as session:
            claimed = trials.claim(
                session=session,
                project=ctx.project,
                owner=owner,
                lease_s=LEASE_S,
                trial_ids=wanted,
                limit=len(wanted),
            )
        if claimed:
            _run_claimed(ctx, claimed, owner, bench or ctx.bench)
        else:
            time.sleep(POLL_S)
        mates = ()


def _get(ctx: Context, trial_id: int) -> Trial:
    with ctx.sessions() as session:
        trial = trials.get(session=session, project=ctx.project, trial_id=trial_id)
    if trial is None:
        raise InputError(f"project {ctx.project} has no trial {trial_id}")
    return trial


def _run_claimed(ctx: Context, claimed: Sequence[Trial], owner: str, bench: Bench) -> None:
    specs = [bench.spec_of(trial, ctx.trial_name(trial.id)) for trial in claimed]
    folders = [folder_of(ctx, trial) for trial in claimed]
    started = ctx.now()
    with _Heartbeat(ctx, claimed, owner) as heart, LiveCurve(ctx, claimed, folders, started) as live:
        watch = search_pruning.watch(ctx, claimed, heart.lost, live)
        outcomes = execute_seeds(
            specs, bench, folders, on_progress=watch, on_retry=live.start_again, cancel=heart.lost
        )
    if watch.reason:
        _prune(ctx, claimed, outcomes, watch.reason)
    for trial, outcome in zip(claimed, outcomes, strict=True):
        if _record(ctx, trial, owner, outcome):
            tracking.note(ctx, trial, outcome, live.process)  # the curve is the mean over the seeds


def _prune(ctx: Context, claimed: Sequence[Trial], outcomes: Sequence[TrialOutcome], reason: str) -> None:
    """Cancel for good what was stopped because it was behind."""
    stopped = [t.id for t, o in zip(claimed, outcomes, strict=True) if o.state is TrialState.CANCELLED]
    with ctx.sessions.begin() as session:
        trials.cancel(session=session, trial_ids=stopped, reason=reason)
    ctx.say(f"  {TrialWords.of(ctx).configuration(claimed[0].plan.params, claimed[0].plan.tree)}: {reason}")


def folder_of(ctx: Context, trial: Trial) -> Path:
    """Where a trial's files lie: by hypothesis where it has one, by purpose, configuration and code otherwise."""
    plan = trial.plan
    root = ctx.home / "experiments" / "results"
    experiment = None
    if plan.experiment_id is not None:
        with ctx.sessions() as session:
            experiment = experiments.get(session=session, project=ctx.project, experiment_id=plan.experiment_id)
    if experiment is None:
        return root / plan.purpose.replace(":", "-") / plan.identity / f"seed-{plan.seed}"
    seed = f"seed-{plan.seed}"
    return root / experiment.plan.key / (seed if plan.purpose == Purpose.CANDIDATE else f"{plan.purpose}-{seed}")


def _record(ctx: Context, trial: Trial, owner: str, outcome: TrialOutcome) -> bool:
    """Whether the trial ended with this outcome: False when somebody else holds it, or it is to run again."""
    uri = str(outcome.folder.relative_to(ctx.home))
    with ctx.sessions.begin() as session:
        if outcome.state is TrialState.DONE:
            scores = outcome.scores
            result = TrialResult(
                scores=Scores(
                    metrics={**outcome.metrics, **outcome.measured},
                    items=scores.items if scores else {},
                    slices=scores.slices if scores else {},
                ),
                artifact_uri=uri,
                fingerprint=outcome.fingerprint,
                wall_s=outcome.wall_s,
                cost=outcome.cost,
                failures=outcome.failures,
            )
            return trials.finish(session=session, trial_id=trial.id, owner=owner, result=result)
        if outcome.state is TrialState.FAILED:
            state = trials.fail(
                session=session,
                trial_id=trial.id,
                owner=owner,
                failure=outcome.failure or FailureClass.CRASH,
                message=outcome.message,
                artifact_uri=uri,
                wall_s=outcome.wall_s,
                final=True,
                fingerprint=outcome.fingerprint,
            )
            return state is TrialState.FAILED
        trials.release(session=session, trial_id=trial.id, owner=owner)
    return False


class _Heartbeat:
    """Extends the leases of the trials of one process while it runs.

    ``lost`` is set, which cancels the run, when somebody else holds one of them, or when they may not go on.
    """

    def __init__(self, ctx: Context, claimed: Sequence[Trial], owner: str) -> None:
        self.ctx, self.owner, self.plan = ctx, owner, claimed[0].plan
        self.trial_ids = {trial.id for trial in claimed}
        self.started = time.monotonic()
        self.lost, self.done = threading.Event(), threading.Event()
        self.thread = threading.Thread(target=self._beat, name=f"heartbeat-{claimed[0].id}", daemon=True)

    def __enter__(self) -> _Heartbeat:
        self.thread.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.done.set()
        self.thread.join()

    def _beat(self) -> None:
        while not self.done.wait(HEARTBEAT_S):
            try:
                with self.ctx.sessions.begin() as session:
                    held = trials.heartbeat(
                        session=session, trial_ids=self.trial_ids, owner=self.owner, lease_s=LEASE_S
                    )
                stopped = why_stop(self.ctx, self.plan, elapsed_s=time.monotonic() - self.started)
            except Exception:  # the database may be restarting; the lease outlives a few missed beats
                log.warning("heartbeat of trials %s failed", self.trial_ids, exc_info=True)
                continue
            if stopped:
                self.ctx.say(f"stopped: {self.plan.purpose} seed={self.plan.seed}: {stopped}")
            if stopped or held != self.trial_ids:
                self.lost.set()
                return


class _Progress:
    """Tells after each trial what is done, what is left and how long that will take."""

    def __init__(self, ctx: Context, total: int) -> None:
        self.ctx, self.total, self.done = ctx, total, 0
        self.words = TrialWords.of(ctx)
        self.started, self.lock = time.monotonic(), threading.Lock()

    def note(self, trial: Trial) -> Trial:
        """Count a finished trial and say so."""
        with self.lock:
            self.done += 1
            left = (time.monotonic() - self.started) / self.done * (self.total - self.done)
            result = self.words.result(trial) + (f", about {left:.0f} s left" if left >= 1 else "")
            what = self.words.configuration(trial.plan.params, trial.plan.tree)
            self.ctx.say(
                f"  [{self.done}/{self.total}] {trial.plan.purpose} {what} seed={trial.plan.seed} — {result}"
            )
        return trial
