"""Takes a person's hypothesis into the queue, checked against the knobs and boards of the project."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path as FilePath

from sqlalchemy.orm import Session

from auto_benchmark.artifacts.git import GitError
from auto_benchmark.artifacts.tree_store import UnfitTreeError
from auto_benchmark.contract.trial import config_hash
from auto_benchmark.db.repositories import decisions, hypotheses, records
from auto_benchmark.documents import Document, Path, dotted
from auto_benchmark.errors import ConfigError, Fault
from auto_benchmark.hypotheses.hypothesis import CodeChange, Hypothesis, Implementation
from auto_benchmark.hypotheses.origin import Origin
from auto_benchmark.hypotheses.queue import priority_score
from auto_benchmark.hypotheses.search.results import changed
from auto_benchmark.ideas.code import code_change, why_no_code
from auto_benchmark.ideas.idea import Idea
from auto_benchmark.kinds import LogKind
from auto_benchmark.project.context import Context
from auto_benchmark.project.current_config import base_config
from auto_benchmark.promotion.production import ProductionCandidate
from auto_benchmark.registry.solution import Params
from auto_benchmark.spelling import did_you_mean


@dataclass(frozen=True, slots=True)
class Taken:
    """What became of an idea.

    Attributes:
        hypothesis: as it stands in the queue.
        is_new: whether it was not asked before.
        reason: for people: where it was put, or what became of it when it was asked before.
    """

    hypothesis: Hypothesis
    is_new: bool
    reason: str


def take_in(
    ctx: Context,
    session: Session,
    idea: Idea,
    document: Document,
    beside: FilePath | None = None,
    *,
    origin: str = Origin.PERSON,
) -> Taken:
    """Queue an idea, once.

    Args:
        ctx: the project.
        session: of the caller's transaction.
        idea: what ``document`` holds.
        document: names file and line of what is wrong.
        beside: the folder that paths to code start from; without one, no code is taken in.
        origin: who proposes it, whatever its ``source`` says.

    Raises:
        ConfigError: it names a knob, a value or a board that the project does not have, code that cannot be had or may
            not be changed, or it changes nothing.
    """
    base = base_config(ctx, session).candidate
    _refuse(document, _problems(ctx, idea, base.params))
    code, wrong = _code(ctx, idea, base.tree, beside)
    _refuse(document, wrong or _changes_nothing(ctx, idea, base.params, code))
    recorded, is_new = hypotheses.add(
        session=session, project=ctx.project, hypothesis=_hypothesis(ctx, idea, base, code, origin)
    )
    if not is_new:
        return Taken(recorded, is_new, _result(ctx, session, recorded))
    records.log(
        session=session, project=ctx.project, key=f"idea/{recorded.id}", kind=LogKind.IDEA, subject=recorded.id,
        reason=f"{idea.source}: {recorded.title}",
        inputs={"params": idea.implementation.knobs} | ({"tree": code.tree, "files": code.files} if code else {}),
    )  # fmt: skip
    hypotheses.trim(session=session, project=ctx.project)
    kept = hypotheses.get(session=session, project=ctx.project, hypothesis_id=recorded.id) or recorded
    return Taken(kept, is_new, kept.reason or "waits in the queue")


def _refuse(document: Document, problems: Iterable[tuple[Path, str]]) -> None:
    """Raise ConfigError for what is wrong, each with its line."""
    faults = [
        Fault(document.file, document.line_of(document.known_path(path)), dotted(path), text)
        for path, text in problems
    ]
    if faults:
        raise ConfigError(faults)


def _code(
    ctx: Context, idea: Idea, base_tree: str, beside: FilePath | None
) -> tuple[CodeChange | None, list[tuple[Path, str]]]:
    """The idea's code, stored, where it has any that is not the base's; and what is wrong with it."""
    form = idea.implementation.code
    if form is None:
        return None, []
    field: Path = ("implementation", "code")
    if reason := why_no_code(ctx):
        return None, [(field, reason)]
    if beside is None:
        return None, [(field, "code can be proposed by a file or a command alone")]
    try:
        return code_change(ctx, base_tree, form, beside), []
    except (UnfitTreeError, GitError) as error:
        return None, [((*field, form.form), str(error))]


def _changes_nothing(ctx: Context, idea: Idea, base: Params, code: CodeChange | None) -> Iterator[tuple[Path, str]]:
    solution, change = ctx.bench.solution.solution, idea.implementation
    if code is not None or solution.configured({**base, **change.knobs}) != base:
        return
    if change.code is None:
        yield ("implementation", "params"), "production has these values already: nothing would change"
    else:
        yield (
            ("implementation", "code", change.code.form),
            "is production's code, with its values: it changes nothing",
        )


def _problems(ctx: Context, idea: Idea, base: Params) -> Iterator[tuple[Path, str]]:
    """Everything in which the idea does not fit the project."""
    solution, change = ctx.bench.solution.solution, idea.implementation
    for form in ("params", "patch", "base"):
        written: Params = getattr(change, form)
        for knob, reason in solution.refusals(written).items():
            yield ("implementation", form, knob), reason
    known = {board.name for board in ctx.boards}
    for i, name in enumerate(idea.target_leaderboards):
        if name not in known:
            yield ("target_leaderboards", i), f"there is no board {name!r}{did_you_mean(name, known)}"
    measured = set(ctx.bench.benchmark.benchmark.boards)
    for i, name in enumerate(idea.target_leaderboards):
        if name in known and name not in measured:
            yield ("target_leaderboards", i), f"the solution's benchmark measures nothing for {name!r}"
    if not known & measured:
        yield ("target_leaderboards",), "the solution's benchmark measures none of the project's boards"


def _hypothesis(
    ctx: Context, idea: Idea, held: ProductionCandidate, code: CodeChange | None, origin: str
) -> Hypothesis:
    base = held.params
    solution, change = ctx.bench.solution.solution, idea.implementation
    params = solution.configured({**base, **change.knobs})
    patch = changed(params, base)
    measured = set(ctx.bench.benchmark.benchmark.boards)
    boards = idea.target_leaderboards or [board.name for board in ctx.boards if board.name in measured]
    return Hypothesis(
        id=hypotheses.UNNUMBERED,
        title=idea.title,
        claim=idea.claim or f"{idea.title} will improve {boards[0]} by {change.estimated_gain:g}",
        source=idea.source,
        origin=origin,
        target_leaderboards=boards,
        implementation=Implementation(
            change=change.change,
            effort=change.effort,
            estimated_gain=change.estimated_gain,
            base=base,
            patch=patch,
            code=code,
        ),
        priority_score=priority_score(change.estimated_gain, change.effort, idea.urgency),
        urgency=idea.urgency,
        config_hash=config_hash(solution.name, params, ctx.bench.ref),
        tree=code.tree if code else held.tree,
    )


def _result(ctx: Context, session: Session, known: Hypothesis) -> str:
    """What became of the same configuration when it was asked before."""
    last = decisions.last_of(session=session, project=ctx.project, hypothesis_ids=[known.id]).get(known.id)
    told = known.reason or (last.reason if last else "")
    return f"asked before as {known.id}, which is {known.status}" + (f": {told}" if told else "")
