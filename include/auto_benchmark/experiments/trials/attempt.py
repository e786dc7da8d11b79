"""Trials from configuration to scores: run, check, score, keep; again where the failure class allows it."""

from __future__ import annotations

import logging
import threading
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path

from auto_benchmark.artifacts import neutral_place, trial_folder
from auto_benchmark.artifacts.code_tree import CodeChangedError, code_tree
from auto_benchmark.artifacts.fingerprint import UnfitCodeError
from auto_benchmark.artifacts.packages import PackagesMissingError, own_environment
from auto_benchmark.artifacts.trial_output import OutputError
from auto_benchmark.contract.failure import FailureClass
from auto_benchmark.contract.limits import LONGEST_MESSAGE, storable
from auto_benchmark.contract.trial import TrialState
from auto_benchmark.errors import ConfigError
from auto_benchmark.experiments.trials.results import keep, stored, with_less_memory
from auto_benchmark.experiments.trials.scoring import score_output
from auto_benchmark.project.bench import Bench, TrialOutcome, TrialSpec
from auto_benchmark.project.solution_code import bench_on
from auto_benchmark.runners.local import LocalRunner
from auto_benchmark.runners.runner import EnvironmentFaultError, OnProgress, RunResult, TrialRequest

log = logging.getLogger(__name__)
OnRetry = Callable[[RunResult], None]


@dataclass(frozen=True, slots=True)
class _Run:
    """How trials are run: on which bench, with whom listening, and how often."""

    bench: Bench
    fingerprint: dict[str, str]
    on_progress: OnProgress | None
    on_retry: OnRetry | None
    cancel: threading.Event | None
    retry: bool


@dataclass(frozen=True, slots=True)
class _Spent:
    """What all attempts of a process took, shared out over its seeds; CPU time is None where it is not known."""

    attempts: int = 0
    wall_s: float = 0.0
    cpu_s: float | None = 0.0
    cpu_at_most_s: float | None = 0.0
    failures: tuple[FailureClass, ...] = ()

    def and_also(self, result: RunResult, seeds: int) -> _Spent:
        """With one more attempt."""
        return replace(
            self,
            attempts=self.attempts + 1,
            wall_s=self.wall_s + result.wall_s / seeds,
            cpu_s=_sum(self.cpu_s, result.cpu_s, seeds),
            cpu_at_most_s=_sum(self.cpu_at_most_s, result.cpu_at_most_s, seeds),
        )


def _sum(spent: float | None, more: float | None, seeds: int) -> float | None:
    return None if spent is None or more is None else spent + more / seeds


def execute(
    spec: TrialSpec,
    bench: Bench,
    folder: Path,
    *,
    on_progress: OnProgress | None = None,
    cancel: threading.Event | None = None,
    retry: bool = True,
) -> TrialOutcome:
    """Run one trial in ``folder``: :func:`execute_seeds` for a single seed."""
    return execute_seeds([spec], bench, [folder], on_progress=on_progress, cancel=cancel, retry=retry)[0]


def execute_seeds(
    specs: Sequence[TrialSpec],
    bench: Bench,
    folders: Sequence[Path],
    *,
    on_progress: OnProgress | None = None,
    on_retry: OnRetry | None = None,
    cancel: threading.Event | None = None,
    retry: bool = True,
) -> list[TrialOutcome]:
    """Run trials that differ in their seed alone in one process, with the code that they name.

    Each has its own folder and its own outcome. A failed trial has no score; it never raises for what the
    solution does. With ``retry`` the process is tried again, and with less memory, as its failure class allows; a caller
    that counts attempts itself turns that off.
    ``on_retry`` is called for every attempt that is followed by another.

    A folder that already holds the complete result of the same trial is taken as it is: a process killed after the
    training but before its result was recorded does not train twice.
    """
    try:
        bench = bench_on(bench, specs[0].tree)
        fingerprint = bench.fingerprint()
    except (EnvironmentFaultError, UnfitCodeError) as error:
        return [_no_environment(folder, str(error)) for folder in folders]
    folders = [folder.resolve() for folder in folders]  # a trial works in a directory of its own
    outcomes: dict[Path, TrialOutcome] = {}
    open_trials: list[tuple[TrialSpec, Path]] = []
    for spec, folder in zip(specs, folders, strict=True):
        config = bench.config(spec)
        if finished := stored(folder, bench, config, fingerprint):
            outcomes[folder] = finished
            continue
        name = bench.solution.solution.name
        trial_folder.write_config(folder, {"solution": name, **config.model_dump(mode="json")})
        open_trials.append((spec, folder))
    if open_trials:
        how = _Run(bench, fingerprint, on_progress, on_retry, cancel, retry)
        try:
            outcomes |= _until_done(open_trials, how)
        except (CodeChangedError, ConfigError, PackagesMissingError, UnfitCodeError) as error:
            outcomes |= {folder: _no_environment(folder, str(error)) for _, folder in open_trials}
    return [outcomes[folder] for folder in folders]


def _until_done(open_trials: Sequence[tuple[TrialSpec, Path]], how: _Run) -> dict[Path, TrialOutcome]:
    """Attempt after attempt, as far as the failure of the process allows."""
    tried, spent = list(open_trials), _Spent()
    while True:
        result = _run_process(tried, how)
        spent = spent.and_also(result, len(tried))
        if result.failure is None or not how.retry or spent.attempts > result.failure.retries:
            break
        said = (tried[0][0].id, spent.attempts, result.failure, result.message)
        if result.failure.needs_less_memory:
            smaller = with_less_memory(how.bench.solution.solution, open_trials[0][0].params)
            if smaller == open_trials[0][0].params:
                break
            tried = [(replace(spec, params=smaller), folder) for spec, folder in open_trials]
        log.warning("trial %s: attempt %d failed (%s: %s)", *said)
        spent = replace(spent, failures=(*spent.failures, result.failure))
        if how.on_retry:
            how.on_retry(result)
    seeds = [spec.seed for spec, _ in tried]
    return {folder: _ended(result, spec, folder, how, spent, seeds) for spec, folder in tried}


def _no_environment(folder: Path, message: str) -> TrialOutcome:
    """The outcome of a trial that could not be started at all."""
    return TrialOutcome(TrialState.FAILED, FailureClass.ENVIRONMENT_ERROR, message, 1, 0.0, 0.0, folder, {})


def _run_process(tried: Sequence[tuple[TrialSpec, Path]], how: _Run) -> RunResult:
    """One process for all seeds; afterwards each seed's files lie in the ``output`` of its own folder.

    Raises:
        CodeChangedError: the solution is not what the fingerprint says; UnfitCodeError: it cannot be code.
        PackagesMissingError: its packages are not installed; ConfigError: its lock is faulty, or it would show trials
            what they may not see.
    """
    bench, code = how.bench, how.fingerprint["code"]
    first = tried[0][0]
    solution = bench.solution.solution
    bench.require_unexposed()  # what is declared may lead elsewhere by now
    workdir = code_tree(bench.solution.path, code, bench.data.root)
    outputs = [trial_folder.empty_output(folder) for _, folder in tried]
    is_local = bench.runner.name == LocalRunner.name
    request = TrialRequest(
        trial_id=first.id,
        command=solution.command,
        image=solution.image,
        workdir=workdir,
        config=bench.process_config([spec for spec, _ in tried]),
        data_dir=bench.view(first),
        output_dir=outputs[0],
        resources=solution.resources,
        code_sha256=code,
        code_enters=not bench.is_folder,
        lock_sha256=how.fingerprint["lock"],
        image_lock_sha256=bench.image_lock or None,
        environment=own_environment(workdir, bench.data.root) if is_local else None,
    )
    with neutral_place.instead_of(outputs[0], bench.data.root if is_local else None) as output:
        seen = replace(request, output_dir=output)
        result = bench.runner.run(seen, on_progress=how.on_progress, cancel=how.cancel)
    if request.config.seeds:
        folders = dict(zip(request.config.seeds, (folder for _, folder in tried), strict=True))
        trial_folder.share_out(request.output_dir, folders)
    return replace(result, message=storable(result.message, LONGEST_MESSAGE))


def _ended(
    result: RunResult, spec: TrialSpec, folder: Path, how: _Run, spent: _Spent, seeds: list[int]
) -> TrialOutcome:
    """Check, score and keep what the last attempt left."""
    state, failure, message = result.state, result.failure, result.message
    scores, metrics = None, dict[str, float]()
    if state is TrialState.DONE:
        try:
            bench = how.bench
            ran = partial(code_tree, bench.solution.path, how.fingerprint["code"], bench.data.root)
            scores, metrics = score_output(folder / trial_folder.OUTPUT, spec, bench, ran)
        except OutputError as error:
            state, failure, message = TrialState.FAILED, error.failure, str(error)
    trial_folder.keep_output(folder)
    outcome = TrialOutcome(
        state=state,
        failure=failure,
        message=message,
        attempts=spent.attempts,
        wall_s=spent.wall_s,
        cost=how.bench.cost(spent.wall_s),
        folder=folder,
        fingerprint=how.fingerprint,
        metrics=metrics,
        scores=scores,
        cpu_s=spent.cpu_s,
        peak_memory_mb=result.peak_memory_mb,
        failures=spent.failures,
        cpu_at_most_s=spent.cpu_at_most_s,
    )
    if state is TrialState.DONE:
        keep(outcome, how.bench, how.bench.config(spec), seeds)
    else:
        trial_folder.leave_output(folder)
    return outcome
