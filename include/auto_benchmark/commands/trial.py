"""``auto-benchmark trial ...``: run or rescore one trial."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from auto_benchmark.commands.output import AsJson, emit, emit_json, note
from auto_benchmark.settings import Settings

app = typer.Typer(no_args_is_help=True, help="Run and rescore single trials.")


@app.callback()
def _group() -> None:
    """Commands of this group."""


@app.command()
def run(
    config: Annotated[Path, typer.Argument(help="File with solution, params, stage, subset, budget_s.")],
    *,
    seed: Annotated[int, typer.Option(min=0, help="Seed of every random number generator.")],
    out: Annotated[Path, typer.Option(help="Directory for the trial's files.")],
    runner: Annotated[str | None, typer.Option(help="Where it runs: local or docker.")] = None,
    json: AsJson = False,
) -> None:
    """Run one configuration with one seed; exit 1 and the failure class on stderr when the trial fails."""
    from auto_benchmark.experiments.trial import Stage, TrialState
    from auto_benchmark.pipelines.benches import load_trial
    from auto_benchmark.pipelines.trial import execute

    bench, spec = load_trial(Settings(), config, seed=seed, folder=out, runner_name=runner)
    if spec.stage is Stage.SUBMIT:
        raise typer.BadParameter("stage submit needs an arena; the loop runs it when it submits", param_hint="CONFIG")
    if bench.runner.not_isolated:
        note(f"runner {bench.runner.name} does not isolate: {', '.join(bench.runner.not_isolated)}")
    outcome = execute(spec, bench, out, on_progress=None)
    if json:
        emit_json(
            {
                "state": outcome.state,
                "failure": outcome.failure,
                "message": outcome.message,
                "seed": seed,
                "metrics": dict(outcome.metrics),
                "boards": bench.board_scores(outcome.metrics),
                "attempts": outcome.attempts,
                "wall_s": round(outcome.wall_s, 3),
                "cost": outcome.cost,
                "folder": str(out),
            }
        )
    if outcome.state is not TrialState.DONE:
        note(f"{outcome.failure or outcome.state}: {outcome.message} (log: {out / 'train.log'})")
        raise typer.Exit(1)
    if not json:
        for name, value in outcome.metrics.items():
            emit(f"{name:<16} {value:.6g}")
