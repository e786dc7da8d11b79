"""``auto-benchmark construct ...``: build a benchmark from a request, check it, have it reviewed, publish it."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from auto_benchmark.commands.output import AsJson, emit, emit_json, emit_now, note
from auto_benchmark.construction.request import Proposer
from auto_benchmark.settings import Settings

if TYPE_CHECKING:
    from auto_benchmark.sources.connection import Connections

app = typer.Typer(no_args_is_help=True, help="Build benchmarks from requests; check, review and publish them.")
Folder = Annotated[Path, typer.Argument(help="Folder of a construction.")]


def _endpoints(settings: Settings) -> Connections:
    """What candidates such as ``llm:CONN`` are found by."""
    from auto_benchmark.sources.connection import NamedConnections
    from auto_benchmark.stack.session import declared_connections

    return NamedConnections(declared_connections(settings))


@app.command()
def run(
    request: Annotated[Path, typer.Argument(help="REQUEST.yaml: what the benchmark should measure.")],
    *,
    out: Annotated[Path, typer.Option(help="Folder of the construction; the same one resumes.")],
    seed: Annotated[int | None, typer.Option(help="Instead of the request's, to build the same once more.")] = None,
    proposer: Annotated[
        Proposer | None, typer.Option(help="Instead of the request's: who proposes what is tried.")
    ] = None,
    json: AsJson = False,
) -> None:
    """Build a benchmark, or go on with it: exit 0, or 2 if the request is wrong or no source can answer it."""
    from auto_benchmark.construction.run import run as construct

    settings = Settings()
    result = construct(settings, request, out, say=note if json else emit_now, connections=_endpoints(settings),
                       seed=seed, proposer=proposer)  # fmt: skip
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


@app.command()
def check(folder: Folder, *, json: AsJson = False) -> None:
    """Verify everything again from the files: exit 0, 1 if something is wrong, 2 if there is no construction."""
    from auto_benchmark.construction.check import check as verify

    found = verify(folder).as_json()
    if json:
        emit_json(found)
    else:
        for problem in found["problems"]:
            emit(problem)
        emit(f"{found['items']} items, {found['wrong_keys']} wrong keys: {'ok' if found['ok'] else 'not ok'}")
    if not found["ok"]:
        raise typer.Exit(1)


@app.command()
def review(
    folder: Folder,
    *,
    import_: Annotated[list[Path] | None, typer.Option("--import", help="A filled sheet; once per rater.")] = None,
    json: AsJson = False,
) -> None:
    """Write a blinded sheet with planted bad items, or say what filled ones agree on: exit 0, or 2 if one is wrong."""
    from auto_benchmark.construction.belonging import resting
    from auto_benchmark.construction.review import import_ratings
    from auto_benchmark.construction.review_sheet import write_sheet

    if not import_:
        with resting(folder):
            sheet = write_sheet(folder)
        if json:
            emit_json({"sheet": str(sheet.path), "items": sheet.items, "planted": sheet.planted})
        else:
            emit(
                f"{sheet.items} items in {sheet.path}; give the folder {sheet.path.parent} to each rater, and nothing else"
            )
        return
    with resting(folder):
        found = import_ratings(folder, import_)
    if json:
        emit_json(found)
        return
    alpha = "not computable" if found["alpha"] is None else f"{found['alpha']:.2f}"
    emit(f"{found['raters']} raters, {found['rated']} items, Krippendorff's alpha {alpha}")
    for name, text in (("accepted", "real items accepted"), ("caught", "planted items caught")):
        if found[name] is not None:
            low, high = found[name]["interval"]
            emit(f"{text}: {found[name]['value']:.1%} ({low:.1%} to {high:.1%})")
    for fault, share in found["caught_by_class"].items():
        if share is not None:
            emit(f"  {fault}: {share['value']:.1%} of {share['items']}")
    for name, reasons in found["reasons"].items():
        emit(
            f"item {name}: {len(reasons)} of {found['raters']} reject it: {'; '.join(filter(None, reasons)) or 'no reason'}"
        )


@app.command()
def consistency(
    folder: Folder,
    other: Annotated[Path, typer.Argument(help="Folder of another, built with another seed, say.")],
    *,
    json: AsJson = False,
) -> None:
    """Say whether two constructions rank their candidates alike: exit 0, or 2 if that cannot be known from them."""
    from auto_benchmark.construction.belonging import resting
    from auto_benchmark.construction.consistency import compare

    with resting(folder), resting(other):
        found = compare(folder, other)
    if json:
        emit_json(found)
        return
    for name, why in found["left_out"].items():
        emit(f"candidate {name} is left out: {why}")
    low, high = found["interval"]
    emit(f"{len(found['candidates'])} candidates, {' and '.join(str(b['items']) for b in found['builds'])} items")
    emit(f"Kendall's tau-b {found['tau']:.2f} ({low:.2f} to {high:.2f}); noise alone allows {found['ceiling']:.2f}")
    if found["corrected"] is not None:
        low, high = found["corrected_interval"]
        emit(f"without noise {found['corrected']:.2f} ({low:.2f} to {high:.2f})")
    low, high = found["below_interval"]
    emit(f"{found['verdict']} ({found['below_ceiling']:+.2f} below, {low:+.2f} to {high:+.2f})")
    for warning in found["warnings"]:
        emit(f"warning: {warning}")


@app.command()
def evolve(
    folder: Folder,
    *,
    out: Annotated[Path, typer.Option(help="Folder of the next generation; the same one resumes.")],
    json: AsJson = False,
) -> None:
    """Build the next generation from the same blueprint: exit 0, or 2 if there is none or the folder is taken."""
    from auto_benchmark.construction.belonging import resting
    from auto_benchmark.construction.evolve import evolve as next_generation

    settings = Settings()
    with resting(folder):
        made = next_generation(
            settings, folder, out, say=note if json else emit_now, connections=_endpoints(settings)
        )
    if json:
        emit_json(made)
    else:
        emit(f"{made['kept']} items in {out}/benchmark, {made['link']['items']} of them of the generation before")


@app.command()
def publish(
    folder: Folder,
    *,
    board: Annotated[str | None, typer.Option(help="Name of the board; the benchmark's by default.")] = None,
    json: AsJson = False,
) -> None:
    """Copy a checked benchmark to benchmarks/ with its board: exit 0, or 2 if the check finds a problem."""
    from auto_benchmark.construction.belonging import resting
    from auto_benchmark.construction.publish import publish as publish_benchmark

    with resting(folder):
        made = publish_benchmark(Settings(), folder, board=board)
    if json:
        emit_json({"benchmark": made.benchmark, "folder": str(made.folder), "board": made.board,
                   "entries": [{"system": name, "score": score} for name, score in made.entries],
                   "to_paste": made.to_paste})  # fmt: skip
        return
    emit(f"wrote {made.folder}")
    emit("next: paste under target_leaderboards of competitive_registry.yaml")
    emit(made.to_paste.rstrip())
