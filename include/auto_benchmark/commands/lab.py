"""``auto-benchmark lab ...``: open-ended tasks, each with a sealed verifier."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from auto_benchmark.commands.output import AsJson, emit, emit_json, note
from auto_benchmark.lab.plan import MEASURES_EACH, Feedback
from auto_benchmark.settings import Settings

if TYPE_CHECKING:
    from auto_benchmark.lab.check import TaskCheck
    from auto_benchmark.lab.task import Task

app = typer.Typer(
    no_args_is_help=True, help="Open-ended tasks: a poor program, a budget, one number, a sealed verifier."
)
AGENT = "llm:CONN (or llm:CONN:MODEL), command:PATH, replay:DIR, tune or evolve."
TASK_OR_FOLDER = "A task's name, or the folder of one in Harbor's format (./DIR): it runs in containers."
MEASURES = f"Calls of the measure command; {MEASURES_EACH} an attempt."


@app.callback()
def _group() -> None:
    """Commands of this group."""


@app.command("list")
def list_(*, json: AsJson = False) -> None:
    """List the tasks with their anchors: exit 0, or 2 when a task's files are faulty; the others are listed."""
    from auto_benchmark.errors import ConfigError
    from auto_benchmark.lab.catalog import load_all

    tasks, faults = load_all(Settings())
    _show(tasks, json=json)
    if faults:
        raise ConfigError(faults)


def _show(tasks: list[Task], *, json: bool) -> None:
    if json:
        fields = {"axis", "language", "metric", "direction", "baseline", "reference", "stretch", "best_known"}
        emit_json({"tasks": [{"name": t.name, **t.anchors.model_dump(mode="json", include=fields)} for t in tasks]})
        return
    for task in tasks:
        a = task.anchors
        reference = "-" if a.reference is None else f"{a.reference:.6g}"
        emit(
            f"{task.name:<24} {a.axis:<8} {a.language:<7} {a.metric} ({a.direction}): baseline {a.baseline:.6g}, "
            f"reference {reference}, stretch {a.stretch:.6g}{' (optional)' if a.optional else ''}"
        )


@app.command()
def check(
    tasks: Annotated[list[str] | None, typer.Argument(help="Tasks; all by default.")] = None, *, json: AsJson = False
) -> None:
    """Measure anchors again and try every cheat: exit 0, or 1 when a task is not as it declares."""
    from auto_benchmark.lab.catalog import chosen
    from auto_benchmark.lab.check import check_all

    settings = Settings()
    found: list[TaskCheck] = []
    for each in check_all(settings, chosen(settings, tasks or [])):
        found.append(each)
        (note if json else emit)(_line(each))
        for text in (*each.problems, *each.notes):
            (note if json else emit)(f"    {text}")
    if json:
        emit_json({"tasks": [_shape(each) for each in found]})
    if not all(each.ok for each in found):
        raise typer.Exit(1)


def _line(found: TaskCheck) -> str:
    if found.skipped:
        return f"{found.name}: skipped, {found.skipped}"
    anchors = ", ".join(
        f"{name} {value:.12g}"
        for name, value in (("baseline", found.baseline), ("reference", found.reference))
        if value is not None
    )
    refused, cheats = found.cheats
    return f"{found.name}: {'sound' if found.ok else 'NOT SOUND'}: {anchors}; {refused} of {cheats} cheats refused"


def _shape(found: TaskCheck) -> dict[str, Any]:
    shape = {"name": found.name, "ok": found.ok, "baseline": found.baseline, "reference": found.reference}
    refused, cheats = found.cheats
    return {**shape, "problems": found.problems, "notes": found.notes, "skipped": found.skipped,
            "cheats": {"refused": refused, "of": cheats}, "counts": found.counts}  # fmt: skip


@app.command()
def verify(
    task: Annotated[str, typer.Argument(help="A task's name.")],
    folder: Annotated[Path, typer.Argument(metavar="DIR", help="Folder with the task's editable files.")],
    *,
    json: AsJson = False,
) -> None:
    """Verify a candidate on inputs drawn anew: exit 0, also when it is not valid."""
    from auto_benchmark.lab.catalog import load
    from auto_benchmark.lab.verification import verify as verify_candidate

    chosen = load(Settings(), task)
    found = verify_candidate(chosen, folder)
    metric = chosen.anchors.metric
    if json:
        checks = [{"name": c.name, "passed": c.passed, "reason": c.reason} for c in found.checks]
        emit_json(
            {"task": task, "valid": found.valid, "metric": metric, "score": found.score, "reward": found.reward,
             "ratio": found.ratio, "autolab": found.autolab, "seed": found.seed, "checks": checks}
        )  # fmt: skip
        return
    for c in found.checks:
        emit(f"{'passed' if c.passed else 'FAILED'} {c.name}{': ' + c.reason if c.reason else ''}")
    emit(
        f"{metric} {found.score:.12g}, reward {found.reward:.4f}"
        if found.score is not None
        else "not valid: reward 0"
    )


@app.command()
def run(
    task: Annotated[str, typer.Argument(help=TASK_OR_FOLDER)],
    *,
    agent: Annotated[str, typer.Option(help=AGENT)],
    out: Annotated[Path, typer.Option(help="Folder of the run; the same one with the same arguments goes on.")],
    attempts: Annotated[int, typer.Option(min=1, max=1000, help="At most.")] = 10,
    minutes: Annotated[float, typer.Option(min=0.01, max=100_000, help="Wall clock of all attempts.")] = 60.0,
    seeds: Annotated[int, typer.Option(min=1, max=100, help="Fresh verifications of the chosen attempt.")] = 3,
    feedback: Annotated[Feedback, typer.Option(help="What attempts are told: the arm.")] = Feedback.TRUE,
    measures: Annotated[int | None, typer.Option(min=0, help=MEASURES)] = None,
    shock: Annotated[int | None, typer.Option(min=1, help="Tell this attempt's verdict as invalid.")] = None,
    money: Annotated[float | None, typer.Option(min=0, help="For a language model, with --price.")] = None,
    price: Annotated[float, typer.Option(min=0, help="Money per million tokens of a language model.")] = 0.0,
    tokens: Annotated[int, typer.Option(min=1, help="Of a language model, in all.")] = 1_000_000,
    calls: Annotated[int, typer.Option(min=1, help="Of a language model, in all.")] = 200,
    json: AsJson = False,
) -> None:
    """Let an agent work on a task, or go on where a run was stopped: exit 0 whatever the agent achieved."""
    from auto_benchmark.agents.llm import Spending
    from auto_benchmark.lab.choice_of_agent import agent_of
    from auto_benchmark.lab.entry import entered
    from auto_benchmark.lab.plan import Plan
    from auto_benchmark.lab.run import run as run_task
    from auto_benchmark.sources.connection import NamedConnections
    from auto_benchmark.stack.session import declared_connections

    settings = Settings()
    connections = NamedConnections(declared_connections(settings))
    chosen = agent_of(settings, connections, agent, Spending(calls=calls, tokens=tokens, price=price), money)
    limit = MEASURES_EACH * attempts if measures is None else measures
    entry = entered(settings, task, chosen, out)
    plan = Plan(
        entry.task.name, agent, attempts, minutes, limit if entry.measures else 0, seeds, feedback, shock, money
    )
    told = run_task(entry.task, entry.agent, plan, out, judge=entry.judge, say=note)
    if json:
        emit_json(told)
        return
    for row in told["attempts"]:
        score = f"{row['score']:.6g}, reward {row['reward']:.4f}" if row["valid"] else "not valid"
        emit(f"attempt {row['attempt']}: {score}" + (f" ({row['reason']})" if row["reason"] else ""))
    result = told["result"]
    shown = f"{result['score']:.6g}, reward {result['reward']:.4f}" if result["valid"] else result["reason"]
    emit(f"chosen: {told['chosen'] or 'none'}; verified anew on {result['seeds']} seeds: {shown}")


@app.command()
def report(
    runs: Annotated[list[Path], typer.Argument(metavar="DIR...", help="Folders of runs, or folders that hold some.")],
    *,
    out: Annotated[Path, typer.Option(help="Folder of the report.")] = Path(),
    json: AsJson = False,
) -> None:
    """Write LAB_REPORT.md about finished runs, with plots: exit 0, or 2 when there is no finished run."""
    from auto_benchmark.lab.report import write_report

    told = write_report(runs, out)
    if json:
        emit_json(told)
    else:
        emit(f"wrote {told['report']}: {told['runs']} runs, {told['tasks']} tasks, {told['agents']} agents")


@app.command()
def export(
    task: Annotated[str, typer.Argument(help="A task's name.")],
    *,
    out: Annotated[Path, typer.Option(help="Folder in which the task's folder is made.")],
    json: AsJson = False,
) -> None:
    """Write a task for other runners of Harbor's format, its verifier's library beside it: exit 0, or 2 if it is there."""
    from auto_benchmark.lab.catalog import load
    from auto_benchmark.lab.export import export as export_task

    folder = export_task(load(Settings(), task), out)
    if json:
        emit_json({"folder": str(folder)})
    else:
        emit(f"wrote {folder}")


@app.command()
def adopt(
    task: Annotated[str, typer.Argument(help="A task's name.")],
    *,
    json: AsJson = False,
) -> None:
    """Make a task a benchmark, a solution that the loop improves, and a board of the arena: exit 0, or 2 if one is there."""
    from auto_benchmark.lab.adopt import adopt as adopt_task
    from auto_benchmark.lab.catalog import load

    settings = Settings()
    made = adopt_task(settings, load(settings, task))
    if json:
        emit_json({"folders": made.folders, "next": made.next})
        return
    for folder in made.folders:
        emit(f"wrote {folder}")
    emit(made.next)
