"""``auto-benchmark construct ...``: build a benchmark from a request, check it, have it reviewed, publish it."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Annotated

import typer

from auto_benchmark.commands.output import AsJson, emit, emit_json, note
from auto_benchmark.settings import Settings
from auto_benchmark.terminal import printable

app = typer.Typer(no_args_is_help=True, help="Build benchmarks from requests; check, review and publish them.")
Folder = Annotated[Path, typer.Argument(help="Folder of a construction.")]


@app.command()
def run(
    request: Annotated[Path, typer.Argument(help="REQUEST.yaml: what the benchmark should measure.")],
    *,
    out: Annotated[Path, typer.Option(help="Folder of the construction; the same one resumes.")],
    json: AsJson = False,
) -> None:
    """Build a benchmark, or go on with it: exit 0, or 2 if the request is wrong or no source can answer it."""
    from auto_benchmark.construction.run import run as construct

    result = construct(Settings(), request, out, say=note if json else _say)
    if json:
        emit_json(result)
        return
    emit(f"{result['kept']} of {result['requested']} items in {out}/benchmark")
    if not result["panel"]["real"]:
        emit(result["panel"]["note"])
    for name, value in result["objective"].items():
        low, high = value["interval"]
        emit(f"{name} {value['value']:.3f} ({low:.3f} to {high:.3f})")
    for warning in result["warnings"]:
        emit(f"warning: {warning}")
    emit(f"next: read {out}/REPORT.md, then `auto-benchmark construct check {out}`")


def _say(text: str) -> None:
    """One line at once, so that the reader of a pipe sees progress as it happens."""
    sys.stdout.write(printable(text) + "\n")
    sys.stdout.flush()
