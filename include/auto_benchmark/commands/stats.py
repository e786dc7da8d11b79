"""``auto-benchmark stats ...``."""

from __future__ import annotations

import dataclasses
import json
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from auto_benchmark.commands.output import AsJson, emit, emit_json, note, row_id
from auto_benchmark.errors import ConfigError, Fault, InputError
from auto_benchmark.settings import Settings
from auto_benchmark.terminal import printable

if TYPE_CHECKING:
    from auto_benchmark.promotion.schema import Decision, Evidence
    from auto_benchmark.stats.calibration import Calibration
    from auto_benchmark.stats.simulation.run import PolicyResult

app = typer.Typer(no_args_is_help=True, help="Decide, simulate and replay promotions.")


@app.callback()
def _group() -> None:
    """Commands of this group."""


@app.command()
def decide(
    trials: Annotated[Path, typer.Argument(help="JSON file with the trials of candidate and control.")],
    *,
    as_json: AsJson = False,
) -> None:
    """Decide about a candidate from its trials and production's."""
    from auto_benchmark.promotion.gate import decide as gate
    from auto_benchmark.promotion.guarding import gate_guards

    evidence = _read_evidence(trials)
    guards = gate_guards([], evidence.metric, evidence.candidate, evidence.control)
    decision = gate(evidence, guards=guards)
    if as_json:
        emit_json(decision)
    else:
        _print_decision(decision)


@app.command()
def simulate(
    scenario: Annotated[Path, typer.Argument(help="YAML file that describes effects, noise and policies.")],
    *,
    as_json: AsJson = False,
) -> None:
    """Run promotion policies on streams of hypotheses whose true effects are known."""
    from auto_benchmark.documents import load
    from auto_benchmark.promotion.scenario import ScenarioFile
    from auto_benchmark.stats.simulation.run import run

    file = load(ScenarioFile, scenario)
    results = run(file.scenario(), file.policies)
    if as_json:
        emit_json({"policies": [dataclasses.asdict(r) for r in results], "repetitions": file.repetitions})
    else:
        _print_simulation(results, file.repetitions)


def _read_evidence(path: Path) -> Evidence:
    """Trials from JSON. Large files skip the line-numbering parser unless there is something to complain about."""
    from auto_benchmark.documents import Document, read, validate
    from auto_benchmark.promotion.intake import without_non_finite
    from auto_benchmark.promotion.schema import Evidence

    data = _plain_json(path)
    document = Document(str(path), data) if data is not None else read(path)
    cleaned, notes = without_non_finite(document.data)
    for line in notes:
        note(f"{path}: {line}")
    try:
        evidence = Evidence.model_validate(cleaned)
        if data is not None and next(evidence.problems(), None) is None:
            return evidence
    except ValueError:
        pass
    lines = document.lines if data is None else read(path).lines
    return validate(Evidence, Document(str(path), cleaned, lines))


def _plain_json(path: Path) -> Any:
    """The file as JSON without duplicate keys; None when it is not that, and the document parser shall say why."""

    def unique(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
        if len({key for key, _ in pairs}) < len(pairs):
            raise ValueError("duplicate key")
        return dict(pairs)

    try:
        return json.loads(path.read_text(encoding="utf-8-sig"), object_pairs_hook=unique)
    except json.JSONDecodeError as error:
        if path.suffix == ".json":
            raise ConfigError([Fault(str(path), error.lineno, "", f"not valid JSON: {error.msg}")]) from None
        return None
    except (OSError, ValueError, RecursionError):
        return None


def _print_decision(decision: Decision) -> None:
    from rich.console import Console
    from rich.markup import escape
    from rich.table import Table

    console = Console()
    console.print(printable(f"{decision.verdict.value}: {decision.reason}"), markup=False)
    if decision.estimate is not None:
        interval = "" if decision.interval is None else " [{:+.4g}, {:+.4g}]".format(*decision.interval)
        console.print(f"improvement {decision.estimate:+.4g}{interval} over {decision.n} seeds", markup=False)
    table = Table("criterion", "value", "threshold", "", "reason")
    for row in decision.criteria:
        shown = ["-" if number is None else f"{number:.4g}" for number in (row.value, row.threshold)]
        passed = "pass" if row.passed else "fail"
        table.add_row(escape(printable(row.name)), *shown, passed, escape(printable(row.reason)))
    console.print(table)


def _print_simulation(results: list[PolicyResult], repetitions: int) -> None:
    from rich.console import Console
    from rich.table import Table

    names = ["trials", "true gain", "claimed", "promoted", "false", "false share", "p95", "type I"]
    table = Table("policy", *names, title=f"means per stream over {repetitions} streams; gains in trial sds")
    for r in results:
        table.add_row(
            r.name,
            f"{r.trials:.0f}",
            f"{r.true_gain:.2f}",
            f"{r.claimed_gain:.2f}",
            f"{r.promoted:.2f}",
            f"{r.false_promotions:.2f}",
            f"{r.false_share:.3f}",
            f"{r.false_share_p95:.2f}",
            "-" if r.type_i is None else f"{r.type_i:.4f}",
        )
    console = Console()
    console.width = max(console.width, 100)  # numbers cut off by a narrow terminal say nothing
    console.print(table)


@app.command()
def replay(
    decision_id: Annotated[int, row_id("Id of a stored decision.")],
    *,
    project: Annotated[str | None, typer.Option(help="Refuse the decisions of other projects.")] = None,
) -> None:
    """Decide a stored decision again: exit 0 when every byte is the same, 1 otherwise."""
    from auto_benchmark.db.repositories import decisions
    from auto_benchmark.promotion.replay import replay as replay_decision
    from auto_benchmark.stack.session import database

    with database(Settings()) as sessions, sessions() as session:
        stored = decisions.get(session=session, project=project, decision_id=decision_id)
    if stored is None:
        raise InputError(f"there is no decision {decision_id}" + (f" of project {project}" if project else ""))
    differences = replay_decision(stored.evidence_json, stored.decision_json)
    for difference in differences:
        note(str(difference))
    if differences:
        only_words = all(difference.is_wording for difference in differences)
        how = "to the same verdict and numbers, worded differently" if only_words else "differently"
        note(f"decision {decision_id} replays {how}")
        raise typer.Exit(1)
    emit(f"decision {decision_id} ({stored.verdict}) replays byte-identically")


@app.command()
def predictions(
    *,
    project: Annotated[str, typer.Option(help="Which project.")] = "default",
    as_json: AsJson = False,
) -> None:
    """Compare what check predicts of a night with what the project's past nights promoted."""
    from auto_benchmark.commands.project import opened
    from auto_benchmark.telling.track_record import track_record

    with opened(project) as ctx, ctx.sessions() as session:
        found = track_record(ctx, session)
    if as_json:
        emit_json(dataclasses.asdict(found))
        return
    if found.calibration is None:
        emit(f"nothing to compare yet: {found.nights} nights with decisions, {found.unpredicted} of unknown noise")
        return
    _print_calibration(found.calibration)
    if found.unpredicted:
        emit(f"left out: {found.unpredicted} of {found.nights} nights, of unknown noise")


def _print_calibration(found: Calibration) -> None:
    from rich.console import Console
    from rich.table import Table

    table = Table("predicted", "nights", "mean", "promoted", "rate", "95 % interval", "holds")
    named = [(f"{row.low:.0%} to {row.high:.0%}", row) for row in found.rows]
    for name, row in (*named, ("all", found.whole)):
        low, high = row.interval
        rate = row.happened / row.predictions
        table.add_row(
            name, str(row.predictions), f"{row.predicted:.1%}", str(row.happened), f"{rate:.1%}",
            f"{low:.1%} to {high:.1%}", "yes" if row.holds else "no",
        )  # fmt: skip
    Console().print(table)
    emit(f"Brier score {found.brier:.4f}; the observed rate as the only prediction has {found.brier_of_rate:.4f}")
