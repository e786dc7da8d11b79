"""Trials from configuration to scores: run, check, score, keep; again where the failure class allows it."""

from __future__ import annotations

import logging
import shutil
import threading
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from auto_benchmark.artifacts import trial_folder
from auto_benchmark.artifacts.fingerprint import folder_sha256
from auto_benchmark.artifacts.trial_output import OutputError
from auto_benchmark.contract.scoring import Scores
from auto_benchmark.contract.trial import FailureClass, TrialConfig, TrialState
from auto_benchmark.experiments.trials.scoring import SELF_REPORTED, score_output
from auto_benchmark.project.bench import Bench, Outcome, TrialSpec
from auto_benchmark.registry.solution import Params, Solution
from auto_benchmark.runners.runner import EnvironmentFaultError, OnProgress, RunResult, TrialRequest

log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class _Attempt:
    result: RunResult
    scores: Scores | None = None
    metrics: dict[str, float] | None = None


def execute(
    spec: TrialSpec,
    bench: Bench,
    folder: Path,
    *,
    on_progress: OnProgress | None = None,
    cancel: threading.Event | None = None,
    retry: bool = True,
) -> Outcome:
    """Run one trial in ``folder``: :func:`execute_seeds` for a single seed."""
    return execute_seeds([spec], bench, [folder], on_progress=on_progress, cancel=cancel, retry=retry)[0]


def execute_seeds(
    specs: Sequence[TrialSpec],
    bench: Bench,
    folders: Sequence[Path],
    *,
    on_progress: OnProgress | None = None,
    cancel: threading.Event | None = None,
    retry: bool = True,
) -> list[Outcome]:
    """Run trials that differ in their seed alone in one process, each with its own folder and its own outcome.

    A failed trial has no score; it never raises for what the solution does. With ``retry`` the process is tried
    again, and with less memory, as its failure class allows; a caller that counts attempts itself turns that off.

    A folder that already holds the complete result of the same trial is taken as it is: a process killed after the
    training but before its result was recorded does not train twice.
    """
    try:
        fingerprint = bench.fingerprint()
    except EnvironmentFaultError as error:
        return [_no_environment(folder, str(error)) for folder in folders]
    folders = [folder.resolve() for folder in folders]  # a trial works in a directory of its own
    outcomes: dict[Path, Outcome] = {}
    open_trials: list[tuple[TrialSpec, Path]] = []
    for spec, folder in zip(specs, folders, strict=True):
        config = bench.config(spec)
        if finished := _stored(folder, bench, config, fingerprint):
            outcomes[folder] = finished
            continue
        name = bench.solution.solution.name
        trial_folder.write_config(folder, {"solution": name, **config.model_dump(mode="json")})
        open_trials.append((spec, folder))
    if open_trials:
        outcomes |= _until_done(open_trials, bench, fingerprint, on_progress, cancel, retry)
    return [outcomes[folder] for folder in folders]


def _until_done(
    open_trials: Sequence[tuple[TrialSpec, Path]],
    bench: Bench,
    fingerprint: dict[str, str],
    on_progress: OnProgress | None,
    cancel: threading.Event | None,
    retry: bool,
) -> dict[Path, Outcome]:
    """Attempt after attempt, as far as the failure of the process allows; wall time is shared out over the seeds."""
    tried = list(open_trials)
    wall_s, attempts = 0.0, 0
    while True:
        attempts += 1
        result = _run_process(tried, bench, on_progress, cancel)
        wall_s += result.wall_s / len(tried)
        if result.failure is None or not retry or attempts > result.failure.retries:
            break
        log.warning("trial %s: attempt %d failed (%s: %s)", tried[0][0].id, attempts, result.failure, result.message)
        if result.failure.needs_less_memory:
            smaller = with_less_memory(bench.solution.solution, open_trials[0][0].params)
            if smaller == open_trials[0][0].params:
                break
            tried = [(replace(spec, params=smaller), folder) for spec, folder in open_trials]
    seeds = [spec.seed for spec, _ in tried]
    return {
        folder: _outcome(
            _scored(result, spec, bench, folder), spec, bench, folder, fingerprint, wall_s, attempts, seeds
        )
        for spec, folder in tried
    }


def with_less_memory(solution: Solution, params: Params) -> Params:
    """The configuration with every declared ``memory_down`` value; unchanged when none is declared."""
    smaller = {name: knob.memory_down for name, knob in solution.knobs.items() if knob.memory_down is not None}
    return {**params, **smaller}


def _no_environment(folder: Path, message: str) -> Outcome:
    """The outcome of a trial that could not be started at all."""
    return Outcome(TrialState.FAILED, FailureClass.ENVIRONMENT_ERROR, message, 1, 0.0, 0.0, folder, {})


def _run_process(
    tried: Sequence[tuple[TrialSpec, Path]],
    bench: Bench,
    on_progress: OnProgress | None,
    cancel: threading.Event | None,
) -> RunResult:
    """One process for all seeds; afterwards each seed's files lie in the ``output`` of its own folder."""
    for _, folder in tried:
        output = folder / trial_folder.OUTPUT
        shutil.rmtree(output, ignore_errors=True)
        output.mkdir(mode=0o700, parents=True)
    (first, first_folder), *_ = tried
    solution = bench.solution.solution
    request = TrialRequest(
        trial_id=first.id,
        command=solution.command,
        image=solution.image,
        workdir=bench.solution.path,
        config=bench.process_config([spec for spec, _ in tried]),
        data_dir=bench.view(first),
        output_dir=first_folder / trial_folder.OUTPUT,
        resources=solution.resources,
        code_sha256=folder_sha256(bench.solution.path),
    )
    result = bench.runner.run(request, on_progress=on_progress, cancel=cancel)
    if request.config.seeds:
        trial_folder.share_out(request.output_dir, {spec.seed: folder for spec, folder in tried})
    return result


def _scored(result: RunResult, spec: TrialSpec, bench: Bench, folder: Path) -> _Attempt:
    attempt = _Attempt(result)
    if result.state is TrialState.DONE:
        try:
            attempt = _Attempt(result, *score_output(folder / trial_folder.OUTPUT, spec, bench))
        except OutputError as error:
            attempt = _Attempt(replace(result, state=TrialState.FAILED, failure=error.failure, message=str(error)))
    trial_folder.keep_output(folder)
    return attempt


def _outcome(
    attempt: _Attempt,
    spec: TrialSpec,
    bench: Bench,
    folder: Path,
    fingerprint: dict[str, str],
    wall_s: float,
    attempts: int,
    seeds: list[int],
) -> Outcome:
    result = attempt.result
    if result.state is TrialState.DONE:
        cpu_s = None if result.cpu_s is None else result.cpu_s / len(seeds)
        measured = {"wall_s": wall_s, "cpu_s": cpu_s, "attempts": attempts, "seeds_in_process": seeds}
        _keep(folder, bench, attempt, bench.config(spec), measured, fingerprint)
    return Outcome(
        state=result.state,
        failure=result.failure,
        message=result.message,
        attempts=attempts,
        wall_s=wall_s,
        cost=bench.cost(wall_s),
        folder=folder,
        fingerprint=fingerprint,
        metrics=attempt.metrics or {},
        scores=attempt.scores,
    )


def _keep(
    folder: Path,
    bench: Bench,
    attempt: _Attempt,
    config: TrialConfig,
    measured: dict[str, Any],
    fingerprint: dict[str, str],
) -> None:
    """Write the result files; ``output`` goes once everything of worth has moved out of it."""
    scores, metrics = attempt.scores, attempt.metrics or {}
    trial_folder.write_results(
        folder,
        metrics={
            "metrics": metrics,
            "scored": dict(scores.metrics) if scores else {},
            "slices": scores.slices if scores else {},
            "scored_by": "scorer" if scores else SELF_REPORTED,
            "measured": {**measured, "peak_memory_mb": attempt.result.peak_memory_mb},
            "config": config.model_dump(mode="json"),
            "fingerprint": fingerprint,
        },
        boards=bench.board_scores(metrics),
        items=scores.items if scores else {},
    )
    shutil.rmtree(folder / trial_folder.OUTPUT, ignore_errors=True)


def _stored(folder: Path, bench: Bench, config: TrialConfig, fingerprint: dict[str, str]) -> Outcome | None:
    """The outcome of a finished trial of the same configuration in the same environment."""
    stored = trial_folder.read_results(folder)
    if stored is None or stored["fingerprint"].get("key") != fingerprint["key"]:
        return None
    smaller = config.model_copy(update={"params": with_less_memory(bench.solution.solution, config.params)})
    if stored["config"] not in (config.model_dump(mode="json"), smaller.model_dump(mode="json")):
        return None
    scores = None
    if stored["scored"]:
        scores = Scores(metrics=stored["scored"], items=trial_folder.read_items(folder), slices=stored["slices"])
    wall_s = stored["measured"]["wall_s"]
    return Outcome(
        state=TrialState.DONE,
        failure=None,
        message="",
        attempts=stored["measured"]["attempts"],
        wall_s=wall_s,
        cost=bench.cost(wall_s),
        folder=folder,
        fingerprint=fingerprint,
        metrics=stored["metrics"],
        scores=scores,
    )
