"""``auto-benchmark doctor SOLUTION``: one configuration end to end through the trial contract."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from auto_benchmark.commands.output import AsJson, emit, emit_json, note
from auto_benchmark.settings import Settings

BY_HAND = "no `submission` is declared: when production is better than the board shows, `status` asks a person to hand it in"


def doctor(
    solution: Annotated[str, typer.Argument(help="Name of a solution, or path of its folder.")],
    *,
    runner: Annotated[str | None, typer.Option(help="Where the trial runs: local or docker.")] = None,
    wheels: Annotated[
        Path | None,
        typer.Option(help="Directory of wheels for requirements.lock, instead of a package index.", exists=True),
    ] = None,
    lock: Annotated[
        bool,
        typer.Option("--lock", help="First complete requirements.lock: hashes for this machine, and what it needs."),
    ] = False,
    json: AsJson = False,
) -> None:
    """Install its packages, run one configuration end to end, and say what is wrong: exit 0, or 2 with what to fix."""
    from auto_benchmark.experiments.trials.doctor import examine
    from auto_benchmark.project.bench import make_bench
    from auto_benchmark.project.configuration import load_solution
    from auto_benchmark.runners import ON_THIS_MACHINE

    settings = Settings()
    loaded = load_solution(settings, solution)
    if lock:
        from auto_benchmark.artifacts.package_lock import write_hashes

        note(f"requirements.lock now pins {', '.join(write_hashes(loaded.path, wheels=wheels))}")
        loaded = load_solution(settings, solution)
    bench = make_bench(settings, loaded, runner_name=runner, runners=ON_THIS_MACHINE)
    findings = []
    for finding in examine(bench, wheels=wheels):
        findings.append(finding)
        if not json:
            (emit if finding.ok else note)(f"{'ok  ' if finding.ok else 'FAIL'} {finding.text}")
    about = board_texts(settings, bench.solution.solution.name)
    for text in about if not json else ():
        emit(f"note {text}")
    healthy = all(finding.ok for finding in findings)
    if json:
        emit_json({"ok": healthy, "findings": [{"ok": f.ok, "text": f.text} for f in findings], "notes": about})
    if not healthy:
        raise typer.Exit(2)


def board_texts(settings: Settings, solution: str) -> list[str]:
    """What cannot work on the boards of the projects that run this solution, as far as they were read."""
    from auto_benchmark.boards.notes import board_notes
    from auto_benchmark.errors import AutoBenchmarkError
    from auto_benchmark.ideas.steps import reconcile
    from auto_benchmark.project.configuration import load_project, project_names
    from auto_benchmark.project.context import make_context
    from auto_benchmark.sources.connection import NamedConnections
    from auto_benchmark.stack.session import database

    if settings.db_url is None and not (settings.root / "postgres").is_dir():
        return []  # nothing was read yet
    told = []
    try:
        names = [
            n for n in project_names(settings) if load_project(settings, n).registry.our_solution.solution == solution
        ]
        with database(settings) as sessions:
            for name in names:
                ctx = make_context(settings, sessions, NamedConnections({}), project=name)
                reconcile(ctx)
                with ctx.sessions() as session:
                    notes = [(b.name, text) for b in ctx.boards for text in board_notes(ctx, session, b)]
                by_hand = [(b.name, BY_HAND) for b in ctx.boards if b.submission is None]
                told += [f"{board}: {text}" for board, text in (*notes, *by_hand)]
    except AutoBenchmarkError as error:
        told.append(f"the boards were not checked: {error}")
    return told


COMMANDS = {"doctor": doctor}
