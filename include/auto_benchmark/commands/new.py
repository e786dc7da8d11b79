"""``auto-benchmark new project | solution | benchmark | lab NAME``: a folder that works, and what to do next."""

from __future__ import annotations

from typing import Annotated

import typer

from auto_benchmark.commands.output import AsJson, emit, emit_json
from auto_benchmark.project.scaffold import TEMPLATES, Written, new_benchmark, new_project, new_solution
from auto_benchmark.settings import Settings

app = typer.Typer(
    help="Write a new project, solution, benchmark or lab task that works at once.", no_args_is_help=True
)
NewName = Annotated[str, typer.Argument(help="Lower-case letters, digits and _; a letter first.")]
Template = Annotated[str, typer.Option(help=f"What the solution is built on: {' or '.join(TEMPLATES)}.")]


@app.command()
def benchmark(name: NewName, *, json: AsJson = False) -> None:
    """Write a benchmark in files, with sample data: exit 0, or 2 if the name is taken or not valid."""
    _tell(new_benchmark(Settings(), name), as_json=json)


@app.command()
def solution(
    name: NewName,
    *,
    benchmark: Annotated[
        str | None, typer.Option(help="What it is measured on; by default the one of the same name, made if needed.")
    ] = None,
    template: Template = TEMPLATES[0],
    json: AsJson = False,
) -> None:
    """Write a solution from a template: exit 0, or 2 if the name is taken or not valid."""
    _tell(new_solution(Settings(), name, benchmark=benchmark, template=template), as_json=json)


@app.command()
def project(
    name: NewName,
    *,
    solution: Annotated[
        str | None, typer.Option(help="What it improves; by default the one of the same name, made if needed.")
    ] = None,
    template: Template = TEMPLATES[0],
    json: AsJson = False,
) -> None:
    """Write a project with a board kept by hand: exit 0, or 2 if the name is taken or not valid."""
    _tell(new_project(Settings(), name, solution=solution, template=template), as_json=json)


@app.command()
def lab(name: NewName, *, json: AsJson = False) -> None:
    """Write a laboratory task that ``lab check`` accepts: exit 0, or 2 if the name is taken or not valid."""
    from auto_benchmark.lab.scaffold import new_task

    _tell(new_task(Settings(), name), as_json=json)


def _tell(written: Written, *, as_json: bool) -> None:
    if as_json:
        emit_json({"folders": written.folders, "next": written.next})
        return
    for folder in written.folders:
        emit(f"wrote {folder}")
    emit(written.next)
