"""``auto-benchmark loop run``: the flows in order, without Airflow."""

from __future__ import annotations

from typing import Annotated

import typer

from auto_benchmark.commands.output import AsJson, emit, emit_json, note
from auto_benchmark.settings import Settings

app = typer.Typer(no_args_is_help=True, help="Run the whole loop without Airflow.")


@app.callback()
def _group() -> None:
    """Commands of this group."""


@app.command()
def run(
    *,
    project: Annotated[str, typer.Option(help="Which project.")] = "default",
    cycles: Annotated[int, typer.Option(min=1, help="How many cycles.")] = 1,
    json: AsJson = False,
) -> None:
    """Run cycles: scrape, sweep, submit, report. The example project starts its own arena when none is reachable."""
    from auto_benchmark.stack.loop import run_loop

    result = run_loop(Settings(), project=project, cycles=cycles, say=note if json else emit)
    if json:
        emit_json(result)
