"""``auto-benchmark hypothesis add | list | show | withdraw``: changes that people propose."""

from __future__ import annotations

import getpass
from pathlib import Path
from typing import Annotated

import typer

from auto_benchmark.commands.output import AsJson, emit, emit_json
from auto_benchmark.commands.people import Reason
from auto_benchmark.commands.project import opened

app = typer.Typer(no_args_is_help=True, help="Propose a change, see what is proposed, withdraw it.")
Project = Annotated[str, typer.Option(help="Which project.")]
Id = Annotated[str, typer.Argument(metavar="ID", help="Id of a hypothesis: H-042.")]


@app.command()
def add(
    file: Annotated[
        Path,
        typer.Argument(help="YAML file: title, implementation (change, params or code, effort, estimated_gain)."),
    ],
    *,
    project: Project = "default",
    json: AsJson = False,
) -> None:
    """Queue the hypothesis in FILE; one that was asked before is answered with what became of it."""
    from auto_benchmark.ideas.file import read_idea
    from auto_benchmark.ideas.intake import take_in
    from auto_benchmark.project.reconcile import render_views

    idea, document = read_idea(file)
    with opened(project) as ctx:
        with ctx.sessions.begin() as session:
            taken = take_in(ctx, session, idea, document, file.resolve().parent)
        render_views(ctx)
    hypothesis = taken.hypothesis
    if json:
        emit_json(
            {
                "id": hypothesis.id,
                "status": str(hypothesis.status),
                "priority_score": hypothesis.priority_score,
                "reason": taken.reason,
            }
        )
    else:
        emit(f"{hypothesis.id} ({hypothesis.status}, priority {hypothesis.priority_score:g}): {taken.reason}")


@app.command("list")
def list_(*, project: Project = "default", json: AsJson = False) -> None:
    """Every hypothesis, highest priority first; then what papers credit and no knob maps."""
    from auto_benchmark.ideas.listing import briefs, listed

    with opened(project) as ctx, ctx.sessions() as session:
        found, to_build = listed(ctx, session), briefs(ctx, session)
    if json:
        emit_json({"hypotheses": found, "briefs": to_build})
        return
    for each in found:
        emit(
            f"{each['id']:<7} {each['status']:<11} {each['kind']:<6} {each['priority_score']:>8g}  {each['title']} "
            f"({each['source']})"
        )
    if not found:
        emit("No hypothesis yet. The next sweep searches, or propose one: auto-benchmark hypothesis add FILE.yaml")
    for brief in to_build:
        first = brief["techniques"][0]
        emit(f'brief   {brief["paper"]}  {first["technique"]}, which no knob maps: "{first["sentence"]}"')


@app.command()
def show(
    hypothesis_id: Id,
    *,
    patch: Annotated[bool, typer.Option("--patch", help="Its change of code alone, whole.")] = False,
    project: Project = "default",
    json: AsJson = False,
) -> None:
    """One hypothesis with its change, its trials and what the gate said."""
    from auto_benchmark.ideas.listing import patch_of, shown

    with opened(project) as ctx, ctx.sessions() as session:
        if patch:
            whole = patch_of(ctx, session, hypothesis_id)
            emit_json({"id": hypothesis_id, "patch": whole}) if json else emit(whole.rstrip("\n"))
            return
        found = shown(ctx, session, hypothesis_id)
    if json:
        emit_json(found)
        return
    emit(f"{found['id']} {found['title']}: {found['status']}" + (f", {found['reason']}" if found["reason"] else ""))
    change, knobs = found["implementation"]["change"], found["implementation"]["patch"]
    emit(f"  {found['claim']}\n  {change}" + (f": {knobs}" if knobs else ""))
    emit(f"  {found['priority_reason']}")
    if found["code"]:
        emit(f"  code {found['code']['tree']}: {', '.join(found['code']['files'])}")
    for trial in found["trials"]:
        score = "no score" if trial["score"] is None else f"{trial['score']:.6g}"
        emit(f"  trial {trial['id']} {trial['purpose']} seed {trial['seed']}: {trial['state']}, {score}")
    for decision in found["decisions"]:
        emit(f"  decision {decision['id']}: {decision['verdict']}, {decision['reason']}")


@app.command()
def withdraw(hypothesis_id: Id, *, reason: Reason, project: Project = "default", json: AsJson = False) -> None:
    """Take a hypothesis that waits out of the queue."""
    from auto_benchmark.ideas.withdrawal import withdraw as implementation

    with opened(project) as ctx:
        left = implementation(ctx, hypothesis_id, by=getpass.getuser(), reason=reason)
    if json:
        emit_json({"id": left.id, "status": str(left.status), "reason": left.reason})
    else:
        emit(f"{left.id} is {left.status}: {left.reason}")
