"""One trial from configuration to scores: run, check, score, keep; again where its failure class allows it."""

from __future__ import annotations

import logging
import shutil
import threading
from dataclasses import dataclass, replace
from pathlib import Path

from auto_benchmark.artifacts import trial_folder
from auto_benchmark.artifacts.fingerprint import folder_sha256
from auto_benchmark.artifacts.trial_output import OutputError
from auto_benchmark.experiments.scoring import Scores
from auto_benchmark.experiments.trial import FailureClass, TrialConfig, TrialState
from auto_benchmark.pipelines.bench import Bench, Outcome, TrialSpec
from auto_benchmark.pipelines.scoring import SELF_REPORTED, score_output
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
    """Run one trial in ``folder``. A failed trial has no score; it never raises for what the solution does.

    With ``retry`` it is tried again, and with less memory, as its failure class allows; a caller that counts attempts
    itself turns that off.

    A folder that already holds the complete result of the same trial is taken as it is: a process killed after the
    training but before its result was recorded does not train twice.
    """
    config = bench.config(spec)
    try:
        fingerprint = bench.fingerprint()
    except EnvironmentFaultError as error:
        return _no_environment(folder, str(error))
    if finished := _stored(folder, bench, config, fingerprint):
        return finished
    trial_folder.write_config(folder, {"solution": bench.solution.solution.name, **config.model_dump(mode="json")})
    tried = replace(spec)
    wall_s, attempts = 0.0, 0
    while True:
        attempts += 1
        attempt = _attempt(tried, bench, folder, on_progress, cancel)
        result = attempt.result
        wall_s += result.wall_s
        if result.failure is None or not retry or attempts > result.failure.retries:
            break
        log.warning("trial %s: attempt %d failed (%s: %s)", spec.id, attempts, result.failure, result.message)
        if result.failure.needs_less_memory:
            tried = replace(spec, params=with_less_memory(bench.solution.solution, spec.params))
            if tried.params == spec.params:
                break
    if result.state is TrialState.DONE:
        _keep(folder, bench, attempt, bench.config(tried), {"wall_s": wall_s, "attempts": attempts}, fingerprint)
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


def with_less_memory(solution: Solution, params: Params) -> Params:
    """The configuration with every declared ``memory_down`` value; unchanged when none is declared."""
    smaller = {name: knob.memory_down for name, knob in solution.knobs.items() if knob.memory_down is not None}
    return {**params, **smaller}


def _no_environment(folder: Path, message: str) -> Outcome:
    """The outcome of a trial that could not be started at all."""
    return Outcome(TrialState.FAILED, FailureClass.ENVIRONMENT_ERROR, message, 1, 0.0, 0.0, folder, {})


def _attempt(
    spec: TrialSpec, bench: Bench, folder: Path, on_progress: OnProgress | None, cancel: threading.Event | None
) -> _Attempt:
    output = folder / trial_folder.OUTPUT
    shutil.rmtree(output, ignore_errors=True)
    output.mkdir(parents=True)
    output.chmod(0o1777)
    solution = bench.solution.solution
    request = TrialRequest(
        trial_id=spec.id,
        command=solution.command,
        image=solution.image,
        workdir=bench.solution.path,
        config=bench.config(spec),
        data_dir=bench.view(spec),
        output_dir=output,
        resources=solution.resources,
        code_sha256=folder_sha256(bench.solution.path),
    )
    attempt = _Attempt(bench.runner.run(request, on_progress=on_progress, cancel=cancel))
    if attempt.result.state is TrialState.DONE:
        try:
            attempt = _Attempt(attempt.result, *score_output(output, spec, bench))
        except OutputError as error:
            message = str(error)
            attempt = _Attempt(
                replace(attempt.result, state=TrialState.FAILED, failure=error.failure, message=message)
            )
    trial_folder.keep_output(folder)
    return attempt


def _keep(
    folder: Path,
    bench: Bench,
    attempt: _Attempt,
    config: TrialConfig,
    measured: dict[str, float],
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
