"""``auto-benchmark approve | reject | close | invalidate``: what a person answers or withdraws."""

from __future__ import annotations

import contextlib
import getpass
from collections.abc import Iterator
from typing import TYPE_CHECKING, Annotated, Any

import typer

from auto_benchmark.commands.output import AsJson, emit, emit_json, note, row_id
from auto_benchmark.commands.project import opened
from auto_benchmark.errors import InputError

if TYPE_CHECKING:
    from auto_benchmark.project.context import Context

Project = Annotated[str, typer.Option(help="Which project.")]
What = Annotated[
    str,
    typer.Argument(
        metavar="ID",
        help="What waits: a hypothesis id, the name of a board, or BOARD/SCORE of an entry under our name.",
    ),
]
By = Annotated[str | None, typer.Option(help="Who decides; the login name by default.")]
Note = Annotated[
    str,
    typer.Option(callback=lambda text: _checked(text, at_least=0), help="The reason; it goes to the decision log."),
]
Reason = Annotated[
    str,
    typer.Option(callback=lambda text: _checked(text, at_least=1), help="The reason; it goes to the decision log."),
]
invalidate = typer.Typer(
    no_args_is_help=True, help="Withdraw a trial or a data set; what rested on it is decided again."
)


def _checked(text: str, *, at_least: int) -> str:
    from auto_benchmark.telling.reason import as_reason

    try:
        return as_reason(text, at_least=at_least)
    except ValueError as error:
        raise typer.BadParameter(f"the reason {error}") from None


def approve(
    what: What, *, reason: Note = "", project: Project = "default", by: By = None, json: AsJson = False
) -> None:
    """Approve what waits: a promotion, a submission, that we handed in, or that an entry under our name is ours."""
    from auto_benchmark.telling import approvals

    with opened(project, say=note) as ctx, _pointing_elsewhere(ctx, what):
        name = by or getpass.getuser()
        told = approvals.approve(ctx, what, by=f"{name}: {reason}" if reason else name)
    _tell(told, f"{told['kind']} of {what} approved", json=json)
    if not json:
        for other in told.get("outdated", ()):
            emit(f"{other} is outdated now: it was compared with the previous production")


def reject(
    what: What,
    *,
    reason: Reason = "no reason given",
    project: Project = "default",
    by: By = None,
    json: AsJson = False,
) -> None:
    """Decline what waits: a promotion, a submission, handing in, or that an entry under our name is ours."""
    from auto_benchmark.telling import approvals

    with opened(project) as ctx, _pointing_elsewhere(ctx, what):
        told = approvals.reject(ctx, what, by=by or getpass.getuser(), reason=reason)
    _tell(told, f"{told['kind']} of {what} rejected", json=json)


def close(
    key: Annotated[str, typer.Argument(metavar="KEY", help="Key of the question, as the technical log names it.")],
    *, reason: Reason, project: Project = "default", by: By = None, json: AsJson = False,
) -> None:  # fmt: skip
    """Close a question that is outdated or asks for no approval, and note what was done about it."""
    from auto_benchmark.telling import approvals

    with opened(project) as ctx, _pointing_elsewhere(ctx, key):
        told = approvals.close(ctx, key, by=by or getpass.getuser(), reason=reason)
    _tell(told, f"{key} closed", json=json)


@invalidate.callback()
def _group() -> None:
    """Commands of this group."""


@invalidate.command()
def trial(
    trial_id: Annotated[int, row_id("Number of the trial.")], *, reason: Reason,
    project: Project = "default", by: By = None, json: AsJson = False,
) -> None:  # fmt: skip
    """Withdraw one trial."""
    from auto_benchmark.experiments.outcome.invalidation import invalidate_trial

    with opened(project) as ctx:
        told = invalidate_trial(ctx, trial_id, by=by or getpass.getuser(), reason=reason)
    _tell_again(told, json=json)


@invalidate.command()
def dataset(
    benchmark: Annotated[str, typer.Argument(help="Name of the benchmark.")],
    version: Annotated[str, typer.Argument(help="Version of its data.")], *, reason: Reason,
    project: Project = "default", by: By = None, json: AsJson = False,
) -> None:  # fmt: skip
    """Withdraw every trial on one version of a benchmark's data."""
    from auto_benchmark.experiments.outcome.invalidation import invalidate_dataset

    with opened(project) as ctx:
        told = invalidate_dataset(ctx, benchmark, version, by=by or getpass.getuser(), reason=reason)
    _tell_again(told, json=json)


@contextlib.contextmanager
def _pointing_elsewhere(ctx: Context, what: str) -> Iterator[None]:
    """A refusal says how ``what`` is answered, or names the other projects in which it waits.

    Whoever leaves ``--project`` out means one of them.
    """
    from auto_benchmark.db.repositories import records
    from auto_benchmark.reporting.words import shell_word
    from auto_benchmark.telling.questions import commands, projects_where_it_waits

    try:
        yield
    except InputError as error:
        with ctx.sessions() as session:
            if what in {e.key for e in records.open_escalations(session=session, project=ctx.project)}:
                raise InputError(f"{what!r} is answered by {' or '.join(commands(ctx, session, what))}") from None
            found = [p for p in projects_where_it_waits(session, what) if p != ctx.project]
        if not found:
            raise
        meant = " or ".join(f"--project {shell_word(name)}" for name in found)
        raise InputError(f"{error} in project {ctx.project}; {what!r} waits in another one: {meant}") from None


def _tell(told: dict[str, Any], text: str, *, json: bool) -> None:
    if json:
        emit_json(told)
    else:
        emit(text)


def _tell_again(told: list[dict[str, Any]], *, json: bool) -> None:
    if json:
        emit_json({"decided_again": told})
        return
    for row in told:
        emit(f"{row['hypothesis_id']}: {row['before']} -> {row['after']}; {row['action']}")
    if not told:
        emit("withdrawn; no decision rested on it")


COMMANDS = {"approve": approve, "reject": reject, "close": close, "invalidate": invalidate}
