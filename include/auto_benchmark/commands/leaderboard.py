"""``auto-benchmark leaderboard ...``."""

from __future__ import annotations

import re
from collections.abc import Collection
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from auto_benchmark.commands.output import AsJson, emit, emit_json, note
from auto_benchmark.errors import ConfigError, Fault, InputError

if TYPE_CHECKING:
    from auto_benchmark.registry.leaderboard import Leaderboard
    from auto_benchmark.tables.entry import ParsedBoard

app = typer.Typer(no_args_is_help=True, help="Read, compare and replay leaderboards.")

BOARDS = "target_leaderboards"
Spec = Annotated[Path | None, typer.Option("--spec", help="YAML file with the board's spec.")]
Ours = Annotated[list[str] | None, typer.Option("--ours", help="Name of our system; may be given several times.")]


@app.callback()
def _group() -> None:
    """Commands of this group."""


@app.command()
def parse(
    source: Annotated[str, typer.Argument(help="File, directory (one entry per file) or URL.")],
    *,
    spec: Spec = None,
    metric: Annotated[
        str | None, typer.Option("--metric", help="Name of the score column; the rest is found.")
    ] = None,
    lower_is_better: Annotated[bool, typer.Option("--lower-is-better", help="The metric counts down.")] = False,
    as_json: AsJson = False,
) -> None:
    """Read one leaderboard: entries best first, and the spec to paste into the registry."""
    declared = _spec(spec, source, metric, lower_is_better)
    board = _read(source, declared)
    if as_json:
        emit_json(board)
        return
    for entry in board.entries:
        emit(f"{entry.rank:>4}  {entry.score:<12.10g} {entry.system}")
    for warning in board.warnings:
        note(f"warning: {warning}")
    emit("\n# spec, ready to paste\n" + _as_yaml(_pasted(board.spec)))


@app.command()
def diff(
    old: Annotated[str, typer.Argument(help="Earlier document.")],
    new: Annotated[str, typer.Argument(help="Later document.")],
    *,
    spec: Annotated[Path, typer.Option("--spec", help="YAML file with the board's spec.")],
    ours: Ours = None,
    as_json: AsJson = False,
) -> None:
    """Say what changed between two documents of one board."""
    from auto_benchmark.leaderboards.alert import Level, Topic, alert_line
    from auto_benchmark.leaderboards.compare import compare
    from auto_benchmark.leaderboards.delta import Delta
    from auto_benchmark.leaderboards.name_alerts import imitation_alerts, unproven
    from auto_benchmark.leaderboards.our_names import OurNames
    from auto_benchmark.leaderboards.plausibility import suspicions

    declared = _spec(spec, new, None, False)
    before, now = _read(old, declared), _read(new, declared)
    names = OurNames(ours or ())
    (was, _), (is_now, imitating) = (
        names.with_imitations_renamed(before.entries),
        names.with_imitations_renamed(now.entries),
    )
    delta = compare(
        was,
        is_now,
        board=declared.name,
        higher_is_better=declared.higher_is_better,
        ours=ours or (),
        aliases=declared.canonical_names,
        items=declared.items,
        stderr=declared.stderr,
        dated=declared.columns.date is not None,
    )
    delta = delta.model_copy(update={"alerts": [*imitation_alerts(declared.name, imitating, was), *delta.alerts]})
    if doubts := suspicions(was, is_now, warnings=now.warnings, whole_board=delta.whole_board):
        texts = [f"{declared.name} not compared, {doubt}" for doubt in doubts]
        lines = [alert_line(Level.ALERT, Topic.OTHERS, text) for text in texts]
        delta = Delta(board=declared.name, changes=[], alerts=lines)
    _note_absent(ours or (), [e.system for e in (*was, *is_now)], "neither document")
    _note_unproven(unproven(names, was, is_now))
    if as_json:
        emit_json(delta)
        return
    for line in map(str, delta.alerts) if delta.alerts else ["nothing changed"]:
        emit(line)


@app.command()
def replay(
    directory: Annotated[str, typer.Argument(help="Directory of snapshots whose names begin with a date.")],
    *,
    spec: Annotated[Path, typer.Option("--spec", help="YAML file with the board's spec.")],
    ours: Ours = None,
    as_json: AsJson = False,
) -> None:
    """Read dated snapshots in order, as the daily scrape would have seen them."""
    from auto_benchmark.sources.replay import replay_directory

    if not directory.strip():
        raise InputError("no directory is named: DIRECTORY is empty")
    declared = _spec(spec, directory, None, False)
    result = replay_directory(Path(directory), declared, ours=ours or ())
    for name in result.skipped:
        note(f"skipped {name!r}: its name does not begin with a date (YYYY-MM-DD)")
    _note_absent(ours or (), result.systems, "none of the snapshots")
    _note_unproven(result.unproven)
    if as_json:
        emit_json(result)
        return
    for snapshot in result.snapshots:
        what = (
            snapshot.reason
            if snapshot.status == "refused"
            else f"{snapshot.n_entries} entries, {snapshot.leader} {snapshot.score}"
        )
        emit(f"{snapshot.date}  {snapshot.status:<8} {what}")
        for line in snapshot.alerts:
            emit(f"            {line}")


def _spec(path: Path | None, source: str, metric: str | None, lower_is_better: bool) -> Leaderboard:
    from pydantic import ValidationError

    from auto_benchmark.registry.leaderboard import Leaderboard, ScrapeMethod

    if (path is None) == (metric is None):
        raise InputError("give either --spec SPEC.yaml or --metric NAME")
    if path is not None:
        return _declared(path, source)
    given = {
        "name": re.sub(r"[\x00-\x1f\\/]", " ", Path(source).stem)[:100].strip() or "board",
        "url": _as_url(source),
        "scrape_method": ScrapeMethod.AUTO,
        "primary_metric": metric,
        "higher_is_better": not lower_is_better,
    }
    try:
        return Leaderboard.model_validate(given)
    except ValidationError as error:
        raise InputError("; ".join(fault["msg"].removeprefix("Value error, ") for fault in error.errors())) from None


def _declared(path: Path, source: str) -> Leaderboard:
    """The spec in a file; the document that stands on the command line takes the place of a url."""
    from auto_benchmark.documents import read, validate
    from auto_benchmark.registry.leaderboard import Leaderboard

    document = read(path)
    if isinstance(document.data, dict):
        if (line := document.lines.get((BOARDS,))) is not None:
            text = f"this is a registry; a spec is one entry of its {BOARDS}, in a file of its own"
            raise ConfigError([Fault(document.file, line, BOARDS, text)])
        if document.data.get("url") is None:
            document = replace(document, data={**document.data, "url": _as_url(source)})
    return validate(Leaderboard, document)


def _as_url(source: str) -> str:
    """``source`` as a spec may name it: a path with a colon in it would look like an address."""
    return Path(source).absolute().as_uri() if ":" in source and Path(source).exists() else source


def _pasted(spec: dict[str, Any]) -> dict[str, Any]:
    """The spec as it reads the same document from anywhere: a registry takes relative paths from its own folder."""
    here = Path(str(spec.get("url", "")))
    return {**spec, "url": str(here.absolute())} if not here.is_absolute() and here.exists() else spec


def _note_absent(ours: Collection[str], seen: Collection[str], where: str) -> None:
    """Warn when no name of ours is listed: a misspelt name hides our rank and who passed us."""
    from auto_benchmark.tables.naming import identities

    if ours and not identities(ours) & identities(seen):
        note(f"warning: {' and '.join(map(repr, ours))} {'is' if len(ours) == 1 else 'are'} listed in {where}")


def _note_unproven(lines: Collection[str]) -> None:
    """Warn of scores under our name that only the project's database could tell to be ours."""
    for line in lines:
        note(f"warning: {line}: taken for ours; documents do not show whether we handed it in")


def _read(source: str, declared: Leaderboard) -> ParsedBoard:
    from auto_benchmark.addresses import shown
    from auto_benchmark.settings import Settings
    from auto_benchmark.sources.fetch import fetch
    from auto_benchmark.sources.read import read_board
    from auto_benchmark.tables.refusal import ReadRefused

    if not source.strip():
        raise InputError("no document is named: SOURCE is empty")
    settings = Settings()
    fetched = fetch(
        source,
        private=settings.private_hosts,
        contact=settings.contact,
        token=settings.token(declared.token_env),
    )
    try:
        return read_board(fetched.content, declared, source=shown(source), content_type=fetched.content_type)
    except ReadRefused as error:
        moved = "" if fetched.final_url == source else f" (redirected to {shown(fetched.final_url)})"
        named = "" if shown(source) in error.message else f"{shown(source)}: "
        raise ReadRefused(error.reason_code, f"{named}{error.message}{moved}") from None


def _as_yaml(data: dict[str, Any]) -> str:
    from auto_benchmark.documents import to_yaml

    return to_yaml(data)
