"""``auto-benchmark research ...``."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from auto_benchmark.commands.output import AsJson, emit, emit_json, note
from auto_benchmark.settings import Settings

app = typer.Typer(no_args_is_help=True, help="Extract techniques and gains from papers.")


@app.callback()
def _group() -> None:
    """Commands of this group."""


@app.command()
def extract(
    papers: Annotated[Path, typer.Argument(help="One JSON object a line: id, title, abstract.")],
    *,
    project: Annotated[str, typer.Option(help="Whose boards, domain and knobs count.")] = "default",
    as_json: AsJson = False,
) -> None:
    """Read papers by the rules: relevance, credited techniques, reported gains, priority. Nothing is stored."""
    from auto_benchmark.pipelines import research_extract

    read = research_extract.extract(papers, research_extract.make_reader(Settings(), project))
    if as_json:
        emit_json({"papers": [research_extract.as_json(assessment) for assessment in read.assessments]})
    else:
        for assessment in read.assessments:
            emit(research_extract.as_text(assessment))
    for fault in read.faults:
        note(str(fault))
    if read.faults:
        raise typer.Exit(2)
