"""``auto-benchmark sweep ...``: compare configurations over seeds."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from auto_benchmark.commands.output import AsJson, emit_json, emit_now, note
from auto_benchmark.settings import Settings

app = typer.Typer(no_args_is_help=True, help="Compare configurations over seeds and write a report.")


@app.callback()
def _group() -> None:
    """Commands of this group."""


@app.command()
def run(
    spec: Annotated[Path, typer.Argument(help="YAML file with configurations, seeds, datasets and metrics.")],
    *,
    out: Annotated[Path, typer.Option(help="Directory for results and report; the same one resumes.")],
    json: AsJson = False,
) -> None:
    """Run a sweep, or resume it; exit 1 when no run of it gave a score."""
    from auto_benchmark.runners import ON_THIS_MACHINE
    from auto_benchmark.sweeps.run import run as run_sweep

    result = run_sweep(Settings(), spec, out, say=note if json else emit_now, runners=ON_THIS_MACHINE)
    if json:
        emit_json(result)
    if result["failed"] and not result["done"]:
        note("no run gave a score; the report's failure log says why")
        raise typer.Exit(1)
