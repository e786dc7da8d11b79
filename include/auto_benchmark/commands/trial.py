"""``auto-benchmark trial ...``: run one trial; run or score a stored one again."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from auto_benchmark.commands.output import AsJson, emit, emit_json, note, row_id
from auto_benchmark.commands.project import opened
from auto_benchmark.settings import Settings

if TYPE_CHECKING:
    from auto_benchmark.contract.trial import Split

app = typer.Typer(no_args_is_help=True, help="Run single trials; rerun, re-evaluate and rescore stored ones.")


@app.callback()
def _group() -> None:
    """Commands of this group."""


@app.command()
def run(
    config: Annotated[
        Path,
        typer.Argument(
            help="YAML with solution, params, stage (full: the gate's items; fast: those of the search), subset, budget_s."
        ),
    ],
    *,
    seed: Annotated[int, typer.Option(min=0, help="Seed of every random number generator.")],
    out: Annotated[Path, typer.Option(help="Directory for the trial's files.")],
    runner: Annotated[str | None, typer.Option(help="Where it runs: local or docker.")] = None,
    json: AsJson = False,
) -> None:
    """Run one configuration with one seed; exit 1 and the failure class on stderr when the trial fails."""
    from auto_benchmark.artifacts.trial_folder import prepare
    from auto_benchmark.contract.trial import TrialState
    from auto_benchmark.experiments.trials.attempt import execute
    from auto_benchmark.project.bench import load_trial
    from auto_benchmark.runners import ON_THIS_MACHINE
    from auto_benchmark.runners.isolation import isolation_report

    bench, spec = load_trial(Settings(), config, seed=seed, folder=out, runner_name=runner, runners=ON_THIS_MACHINE)
    isolation = isolation_report(bench.runner)
    note(str(isolation))
    note(_measured_on(spec.stage.evaluates))
    prepare(out)
    outcome = execute(spec, bench, out, on_progress=None)
    if json:
        emit_json(
            {
                "state": outcome.state,
                "failure": outcome.failure,
                "message": outcome.message,
                "seed": seed,
                "split": spec.stage.evaluates,
                "metrics": dict(outcome.metrics),
                "boards": bench.board_scores(outcome.metrics),
                "attempts": outcome.attempts,
                "wall_s": round(outcome.wall_s, 3),
                "cost": outcome.cost,
                "folder": str(out),
                "isolation": isolation.document,
            }
        )
    if outcome.state is not TrialState.DONE:
        note(f"{outcome.failure or outcome.state}: {outcome.message} (log: {out / 'train.log'})")
        raise typer.Exit(1)
    if not json:
        for name, value in outcome.metrics.items():
            emit(f"{name:<16} {value:.6g}")


def _measured_on(split: Split) -> str:
    """The gate decides, so whoever tries things out by hand should know which items answer."""
    told = f"measured on the items of {split}"
    if split == "gate":
        told += ": what is chosen by them they cannot judge; `stage: fast` measures on those of search"
    return told


@app.command()
def rescore(
    trial_id: Annotated[int, row_id("Id of a finished trial.")],
    *,
    project: Annotated[str, typer.Option(help="Which project.")] = "default",
    json: AsJson = False,
) -> None:
    """Score a stored trial again from its predictions, without training."""
    from auto_benchmark.experiments.trials.rescore import rescore as rescore_trial

    with opened(project, reconciled=False) as ctx:
        rescored = rescore_trial(ctx, trial_id)
    if json:
        emit_json(rescored)
        return
    emit(f"trial {trial_id}: {'changed' if rescored['changed'] else 'unchanged'}")
    for name, value in rescored["after"].items():
        emit(f"{name:<16} {value:.6g}")


@app.command()
def rerun(
    trial_id: Annotated[int, row_id("Id of a finished trial.")],
    *,
    project: Annotated[str, typer.Option(help="Which project.")] = "default",
    json: AsJson = False,
) -> None:
    """Run a stored trial again; exit 1 unless it gives the same predictions, byte for byte. Nothing is recorded."""
    from auto_benchmark.experiments.trials.rerun import rerun as rerun_trial

    with opened(project, reconciled=False) as ctx:
        _tell(trial_id, rerun_trial(ctx, trial_id), json=json)


@app.command()
def evaluate(
    trial_id: Annotated[int, row_id("Id of a finished trial.")],
    *,
    project: Annotated[str, typer.Option(help="Which project.")] = "default",
    json: AsJson = False,
) -> None:
    """Let a trial's stored checkpoint answer again, without training; exit 1 unless every byte is the same."""
    from auto_benchmark.experiments.trials.rerun import evaluate as evaluate_checkpoint

    with opened(project, reconciled=False) as ctx:
        _tell(trial_id, evaluate_checkpoint(ctx, trial_id), json=json)


def _tell(trial_id: int, told: dict[str, Any], *, json: bool) -> None:
    if json:
        emit_json(told)
    else:
        emit(f"trial {trial_id}: {told['answers']} answers, {'the same' if told['same'] else 'not the same'}")
    for name, (then, now) in told["environment"].items():
        note(f"{name} was {then} and is {now}")
    if not told["same"]:
        raise typer.Exit(1)
