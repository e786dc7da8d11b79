"""``auto-benchmark research ...``."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from auto_benchmark.commands.output import AsJson, emit, emit_json, note
from auto_benchmark.errors import InputError
from auto_benchmark.project.configuration import DEFAULT_PROJECT
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
    why: Annotated[
        bool, typer.Option("--why", help="Name the cues that speak loudest for or against each technique.")
    ] = False,
    as_json: AsJson = False,
) -> None:
    """Read papers by the rules: relevance, credited techniques, reported gains, priority. Nothing is stored."""
    from auto_benchmark.papers import extract as research_extract
    from auto_benchmark.papers.rules import make_reader

    reader = make_reader(Settings(), project, strict=True)
    read = research_extract.extract(papers, reader)
    told = [(one, reader.why(one.paper) if why else None) for one in read.assessments]
    if as_json:
        emit_json({"papers": [research_extract.as_json(one, because) for one, because in told]})
    else:
        for one, because in told:
            emit(research_extract.as_text(one, because))
    if not read.assessments and not read.faults:
        note(f"no papers in {papers}")
    for fault in read.faults:
        note(str(fault))
    if read.faults:
        raise typer.Exit(2)


@app.command()
def competitor(
    name: Annotated[str, typer.Argument(help="The competitor, as the boards call it.")],
    report: Annotated[
        str | None,
        typer.Argument(
            help="URL or file: technical report, README or article; else what research_config.yaml names."
        ),
    ] = None,
    *,
    project: Annotated[str, typer.Option(help="Whose architecture it is compared with.")] = DEFAULT_PROJECT,
    as_json: AsJson = False,
) -> None:
    """Read a competitor's report: its details, those that differ from ours, and experiments for what we can try.

    Without a public source, an escalation asks people.
    """
    from auto_benchmark.commands.project import opened
    from auto_benchmark.papers import competitor_reports
    from auto_benchmark.sources.papers.source import SourceFailed

    here = report if report is None or "://" in report else str(Path(report).expanduser().absolute())
    with opened(project) as ctx:
        try:
            told = competitor_reports.review(ctx, name, here or competitor_reports.declared_report(ctx, name))
        except SourceFailed as failed:
            raise InputError(failed.message) from None
    if as_json:
        emit_json(told)
        return
    if told["escalated"]:
        emit(f"{name}: nothing is known of its system; people are asked")
    for difference in told["differences"]:
        ours = f" (ours: {difference['ours']})" if difference["ours"] else ""
        tried = f" -> {difference['patch']}" if difference["patch"] else ""
        emit(f"{difference['name']}: {difference['theirs']}{ours}{tried}")
    emit(f"{len(told['details'])} details, {len(told['differences'])} not ours, new hypotheses: "
         f"{', '.join(told['hypotheses']) or 'none'}")  # fmt: skip
