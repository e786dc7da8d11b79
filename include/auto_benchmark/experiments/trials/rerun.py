"""Runs a stored trial again, or asks its checkpoint again, and compares what it answers."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

from auto_benchmark.artifacts import trial_folder
from auto_benchmark.contract.record import Trial
from auto_benchmark.contract.trial import Stage, TrialConfig, TrialState
from auto_benchmark.db.repositories import trials
from auto_benchmark.errors import InputError, RefusedError
from auto_benchmark.experiments.trials.attempt import execute_seeds
from auto_benchmark.project.bench import TrialOutcome, TrialSpec, short_hash
from auto_benchmark.project.context import Context
from auto_benchmark.scratch import scratch_folder

MOST_NAMED = 10


def rerun(ctx: Context, trial_id: int) -> dict[str, Any]:
    """Run a finished trial once more where trials run now; nothing of it is recorded, and no query is counted.

    Seeds that trained in one process do so again.

    Returns:
        ``{"trial_id", "same", "answers", "different", "environment"}``: whether the predictions are the same bytes,
        some of the lines that only one of the two holds, and the facts of the fingerprint that have changed since,
        as ``{name: [then, now]}``.

    Raises:
        InputError: the project has no such trial, its files are gone, or it is of another solution or version of the
            benchmark.
        RefusedError: it has no predictions to compare, or it fails now.
    """
    return _compared(ctx, trial_id, lambda scratch, folder, stored, draw: _again(ctx, scratch, stored, draw))


def evaluate(ctx: Context, trial_id: int) -> dict[str, Any]:
    """Let the stored checkpoint of a finished trial answer once more, without training data in its reach.

    Returns and raises as :func:`rerun`, and RefusedError where the trial kept no checkpoint.
    """

    def asked(scratch: Path, folder: Path, stored: dict[str, Any], draw: int) -> TrialOutcome:
        if not (folder / trial_folder.CHECKPOINT).is_file():
            raise RefusedError(
                f"trial {trial_id} has no {trial_folder.CHECKPOINT}: its solution wrote none, or gc removed it"
            )
        return _from_checkpoint(ctx, scratch, stored, draw, folder / trial_folder.CHECKPOINT)

    return _compared(ctx, trial_id, asked)


def _compared(
    ctx: Context, trial_id: int, run: Callable[[Path, Path, dict[str, Any], int], TrialOutcome]
) -> dict[str, Any]:
    with ctx.sessions() as session:
        trial = trials.get(session=session, project=ctx.project, trial_id=trial_id)
    folder, draw = _folder(ctx, trial_id, trial)
    tree = trial.plan.tree if trial else ""
    stored = trial_folder.read_results(folder)
    if stored is None:
        raise InputError(f"trial {trial_id}: {folder / trial_folder.METRICS} is missing")
    before = _predictions(folder, trial_id)
    with scratch_folder("rerun", ctx.settings.root) as scratch:
        again = run(scratch, folder, stored | {"tree": tree}, draw)
        if again.state is not TrialState.DONE:
            raise RefusedError(f"trial {trial_id} fails now: {again.failure}: {again.message}")
        after = _predictions(again.folder, trial_id)
    then, now = stored["fingerprint"], again.fingerprint
    return {
        "trial_id": trial_id,
        "same": before == after,
        "answers": len(before.splitlines()),
        "different": _different(before, after),
        "environment": {k: [then.get(k), now.get(k)] for k in sorted({*then, *now}) if then.get(k) != now.get(k)},
    }


def _folder(ctx: Context, trial_id: int, trial: Trial | None) -> tuple[Path, int]:
    """Where a trial lies, and which draw of the gate's items it is on."""
    if trial is None:
        raise InputError(f"project {ctx.project} has no trial {trial_id}")
    if trial.state is not TrialState.DONE or not trial.artifact_uri:
        raise RefusedError(f"trial {trial_id} is {trial.state}; only a finished one can be run again")
    if trial.plan.stage is Stage.SUBMIT:
        raise RefusedError(f"trial {trial_id} answers an arena's hidden inputs; only a submission runs it")
    ours = ctx.bench.solution.solution.name
    draw = ctx.bench.draw_of(trial.plan.benchmark)
    if trial.plan.solution != ours or draw is None:
        raise InputError(
            f"trial {trial_id} is of {trial.plan.solution} on {trial.plan.benchmark.name} "
            f"{trial.plan.benchmark.version}, now it is {ours} on {ctx.bench.ref.name} {ctx.bench.ref.version}"
        )
    return ctx.home / trial.artifact_uri, draw


def _again(ctx: Context, scratch: Path, stored: dict[str, Any], draw: int) -> TrialOutcome:
    """The outcome of the stored trial's seed."""
    config = TrialConfig.model_validate(stored["config"])
    seeds: list[int] = stored["measured"]["seeds_in_process"]
    specs = [_spec(config, seed, scratch, draw, stored["tree"]) for seed in seeds]
    outcomes = execute_seeds(specs, ctx.bench, [scratch / f"seed-{seed}" for seed in seeds])
    return outcomes[seeds.index(config.seed or 0)]


def _from_checkpoint(
    ctx: Context, scratch: Path, stored: dict[str, Any], draw: int, checkpoint: Path
) -> TrialOutcome:
    """The outcome of a trial that sees the same inputs, the checkpoint, and nothing to train on."""
    config = TrialConfig.model_validate(stored["config"])
    seed = config.seed or 0
    spec = _spec(config, seed, scratch, draw, stored["tree"])
    data = scratch / "data"
    shutil.copytree(ctx.bench.view(spec), data, ignore=shutil.ignore_patterns("train.jsonl"))
    data.chmod(0o755)
    shutil.copyfile(checkpoint, data / trial_folder.CHECKPOINT)
    return execute_seeds([replace(spec, data=data)], ctx.bench, [scratch / f"seed-{seed}"])[0]


def _spec(config: TrialConfig, seed: int, scratch: Path, draw: int, tree: str) -> TrialSpec:
    return TrialSpec(
        id=f"ab-again-{short_hash(scratch)}-{seed}",
        params=config.params,
        seed=seed,
        stage=config.stage,
        subset=config.subset,
        budget_s=config.budget_s,
        draw=draw,
        tree=tree,
    )


def _predictions(folder: Path, trial_id: int) -> bytes:
    try:
        return (folder / trial_folder.PREDICTIONS).read_bytes()
    except OSError:
        raise RefusedError(f"trial {trial_id} has no {trial_folder.PREDICTIONS} to compare") from None


def _different(before: bytes, after: bytes) -> list[str]:
    """Lines that stand in one of the two only, as far as they are worth naming."""
    changed = sorted(set(before.splitlines()) ^ set(after.splitlines()))
    return [line.decode("utf-8", "replace")[:200] for line in changed[:MOST_NAMED]]
