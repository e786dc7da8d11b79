"""Runs one configuration of a user's solution end to end and says what is wrong, in the order in which it matters."""

from __future__ import annotations

import shutil
import time
from collections.abc import Generator, Iterator
from dataclasses import dataclass, replace
from pathlib import Path

from auto_benchmark.artifacts import trial_folder
from auto_benchmark.artifacts.packages import LOCK, install, read_lock
from auto_benchmark.artifacts.trial_folder import predictions_digest
from auto_benchmark.contract.failure import Blame
from auto_benchmark.contract.measured import measured_as
from auto_benchmark.contract.trial import Stage, TrialState
from auto_benchmark.errors import InputError
from auto_benchmark.experiments.trials.attempt import execute
from auto_benchmark.experiments.trials.scoring import MINIMUM_ITEMS, SELF_REPORTED, large_slices
from auto_benchmark.hypotheses.search.space import variants
from auto_benchmark.project.bench import Bench, TrialOutcome, TrialSpec, short_hash
from auto_benchmark.registry.slice_metrics import SLICE_METRICS
from auto_benchmark.registry.solution import Params
from auto_benchmark.runners.exit_code import log_tail
from auto_benchmark.runners.local import LocalRunner
from auto_benchmark.scratch import scratch_folder

EFFECTS_S = 20.0
"""Time for knobs, together."""


@dataclass(frozen=True, slots=True)
class CheckResult:
    """What the doctor found in one thing that it looked at; ``blames_code``: it would be found on a quiet machine, too."""

    ok: bool
    text: str
    blames_code: bool = True


def examine(
    bench: Bench, *, subset: float = 0.1, wheels: Path | None = None, params: Params | None = None
) -> Iterator[CheckResult]:
    """Yield results one by one; stops after the first that makes the rest meaningless.

    With ``params`` that configuration is run instead of the defaults, and no knob is tried. Packages of the solution's lock
    are installed first, from ``wheels`` or from the package index of pip's settings.
    """
    command = bench.solution.solution.command
    program = command[0]
    if program not in {"python", "python3"} and shutil.which(program) is None:
        yield CheckResult(False, f"command: there is no program {program!r}")
        return
    for word in command[1:]:
        if word.endswith(".py") and not (bench.solution.path / word).is_file():
            yield CheckResult(False, f"command: {word} does not exist beside solution.yaml")
            return
    yield CheckResult(True, f"command: {' '.join(command)}")
    packages = _packages(bench, wheels)
    yield from packages
    if not all(finding.ok for finding in packages):
        return
    with scratch_folder("doctor") as scratch:
        spec = _spec(bench, params or bench.solution.solution.defaults, subset)
        first = yield from _trial(bench, scratch / "first", spec)
        if first is None:
            return
        yield from _metrics(bench, first)
        same = yield from _seeding(bench, scratch, first, spec)
        if same and params is None and bench.benchmark.benchmark.scorer != SELF_REPORTED:
            yield from _effects(bench, scratch, first, subset)


def _packages(bench: Bench, wheels: Path | None) -> list[CheckResult]:
    """Where local trials find the packages of the lock; containers bring their own."""
    if bench.runner.name != LocalRunner.name:
        return []
    try:
        place = install(bench.solution.path, bench.data.root, wheels=wheels)
        count = len(read_lock(bench.solution.path))
    except InputError as error:
        return [CheckResult(False, f"packages: {error}")]
    where = f"installed in {place}" if place else "the running interpreter has these versions"
    return [CheckResult(True, f"packages: {count} of {LOCK}: {where}")] if count else []


def _spec(bench: Bench, params: Params, subset: float) -> TrialSpec:
    return TrialSpec("ab-doctor", bench.solution.solution.configured(params), 1, Stage.FAST, subset)


def _trial(bench: Bench, folder: Path, spec: TrialSpec) -> Generator[CheckResult, None, TrialOutcome | None]:
    outcome = execute(replace(spec, id=f"ab-doctor-{short_hash(folder)}"), bench, folder)
    if outcome.state is TrialState.DONE:
        yield CheckResult(True, f"trial: done in {outcome.wall_s:.1f} s with {spec.subset:.0%} of the search split")
        return outcome
    advice = outcome.failure.advice if outcome.failure else "it was cancelled"
    tail = "\n".join(log_tail(folder / trial_folder.LOG).splitlines()[-12:])
    text = f"trial: {outcome.failure}: {advice}: {outcome.message}" + (f"\n{tail}" if tail else "")
    yield CheckResult(
        False, text, blames_code=outcome.failure is not None and outcome.failure.blame is Blame.CANDIDATE
    )
    return None


def _metrics(bench: Bench, outcome: TrialOutcome) -> Iterator[CheckResult]:
    for name, board in bench.benchmark.benchmark.boards.items():
        value = outcome.metrics.get(board.metric)
        text = f"score: {name} {board.metric} = {value:.4f}" if value is not None else f"score: no {board.metric}"
        yield CheckResult(value is not None, text)
    for guard in bench.guards:
        if guard.name in outcome.metrics or measured_as(guard.name) in outcome.measured:
            continue
        if guard.name in SLICE_METRICS:
            yield _fairness_guard(bench, guard.name)
        else:
            yield CheckResult(False, f"guard: metrics.json has no {guard.name!r}, which metrics.guards names")
    if missing := _unanswered(bench, outcome):
        yield CheckResult(False, f"predictions: {missing} items of the split are not answered; they count as wrong")


def _fairness_guard(bench: Bench, name: str) -> CheckResult:
    """Whether whole trials will have it; the part of the split that a doctor's trial answers is small."""
    large = len(large_slices(bench.data.answers("search")))
    text = f"guard: {name} compares slices of {MINIMUM_ITEMS} items or more, of which the search split has {large}"
    return CheckResult(large >= 2, text if large >= 2 else f"{text}; it takes two")


def _unanswered(bench: Bench, outcome: TrialOutcome) -> int:
    if outcome.scores is None or not outcome.scores.items:
        return 0
    lines = (outcome.folder / trial_folder.PREDICTIONS).read_bytes().count(b"\n")
    return max(0, max(len(items) for items in outcome.scores.items.values()) - lines)


def _effects(bench: Bench, scratch: Path, first: TrialOutcome, subset: float) -> Iterator[CheckResult]:
    """Which knobs change no answer when they alone change, as far as :data:`EFFECTS_S` allows.

    A knob is tried with its first two other values. One without effect is not a fault: it may need another choice or more
    items, and the search finds that out by itself; but it costs trials.
    """
    solution = bench.solution.solution
    defaults, idle, left = solution.defaults, [], []
    ends = time.monotonic() + EFFECTS_S
    for name in defaults:
        if time.monotonic() + first.wall_s > ends:
            left.append(name)
            continue
        for i, value in enumerate(variants(solution.knobs[name], defaults[name])[:2]):
            folder = scratch / f"{name}-{i}"
            spec = TrialSpec(
                f"ab-doctor-{short_hash(folder)}",
                solution.configured({**defaults, name: value}),
                1,
                Stage.FAST,
                subset,
            )
            outcome = execute(spec, bench, folder)
            if outcome.state is not TrialState.DONE:
                yield CheckResult(False, f"knob: the trial fails with {name} = {value}: {outcome.message}")
                break
            if predictions_digest(outcome.folder) != predictions_digest(first.folder):
                break
        else:
            idle.append(name)
    few = f"{subset:.0%} of the search split with seed 1"
    if idle:
        hint = "if a knob belongs to one choice of another, say so with `when`"
        yield CheckResult(True, f"knobs: {', '.join(idle)} changed no answer on {few}; {hint}")
    elif not left:
        yield CheckResult(True, f"knobs: each of {len(defaults)} changes answers on {few}")
    if left:
        yield CheckResult(
            True, f"knobs: no time to try {', '.join(left)} (doctor takes {EFFECTS_S:.0f} s for all of them)"
        )


def _seeding(bench: Bench, scratch: Path, first: TrialOutcome, spec: TrialSpec) -> Generator[CheckResult, None, bool]:
    """The same seed twice must give the same predictions; whether it does."""
    again = yield from _trial(bench, scratch / "again", spec)
    if again is None:
        return False
    same = (first.folder / trial_folder.PREDICTIONS).read_bytes() == (
        again.folder / trial_folder.PREDICTIONS
    ).read_bytes()
    text = "the same seed gives the same predictions" if same else "the same seed gave different predictions"
    yield CheckResult(
        same, f"seed: {text}" + ("" if same else "; seed every random number generator from AB_CONFIG_JSON")
    )
    return same
