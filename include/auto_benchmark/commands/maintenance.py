"""``auto-benchmark gc | export | import``: retention, dump and restore of a project."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from auto_benchmark.commands.output import AsJson, emit, emit_json
from auto_benchmark.commands.project import opened
from auto_benchmark.settings import Settings

Project = Annotated[str, typer.Option("--project", help="Which project.")]


def gc(
    *,
    project: Project = "default",
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Only say what would be removed.")] = False,
    json: AsJson = False,
) -> None:
    """Remove files older than schedule.yaml keeps; rows and scores stay."""
    from auto_benchmark.project.retention import collect

    with opened(project, reconciled=False) as ctx:
        removed = collect(ctx, dry_run=dry_run)
    if json:
        emit_json({"dry_run": dry_run, "removed": removed})
        return
    for name, told in removed.items():
        emit(f"{name:<12} {told['files']:>7} files {told['bytes']:>12} bytes")


def export_(
    archive: Annotated[Path, typer.Argument(help="The .tar.gz to write.")],
    *,
    project: Project = "default",
    json: AsJson = False,
) -> None:
    """Write a project's rows and files into one archive."""
    from auto_benchmark.project.transfer import export_project
    from auto_benchmark.stack.session import database

    settings = Settings()
    with database(settings) as sessions:
        told = export_project(settings, sessions, project, archive)
    emit_json(told) if json else emit(f"{project}: {sum(told['rows'].values())} rows, {told['files']} files")


def import_(
    archive: Annotated[Path, typer.Argument(exists=True, dir_okay=False, help="An archive written by export.")],
    *,
    with_code: Annotated[bool, typer.Option(help="Take in the programs in it, too; trials will run them.")] = False,
    json: AsJson = False,
) -> None:
    """Restore a project from an archive into a database and home that do not hold it."""
    from auto_benchmark.project.transfer import import_project
    from auto_benchmark.stack.session import database

    settings = Settings()
    with database(settings) as sessions:
        told = import_project(settings, sessions, archive, with_code=with_code)
    emit_json(told) if json else emit(f"{told['project']}: {sum(told['rows'].values())} rows, {told['files']} files")


COMMANDS = {"gc": gc, "export": export_, "import": import_}
