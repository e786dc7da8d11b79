"""An edit of the solution's folder becomes a hypothesis of its own: production goes on until the gate has judged it."""

from __future__ import annotations

from sqlalchemy.orm import Session

from auto_benchmark.artifacts import tree_store
from auto_benchmark.artifacts.code_tree import CodeChangedError
from auto_benchmark.contract.trial import config_hash
from auto_benchmark.db.repositories import hypotheses, records
from auto_benchmark.hypotheses.hypothesis import CodeChange, Hypothesis, HypothesisStatus, Implementation, Urgency
from auto_benchmark.hypotheses.queue import priority_score
from auto_benchmark.ideas.code import why_no_code
from auto_benchmark.kinds import LogKind
from auto_benchmark.project.context import Context
from auto_benchmark.project.current_config import production_config
from auto_benchmark.project.folder_code import FolderEdit, folder_edit
from auto_benchmark.registry.leaderboard import Leaderboard
from auto_benchmark.registry.technique_catalog import Effort

SOURCE = "folder"


def queue_folder_edit(ctx: Context) -> None:
    """Queue the folder as it is now, once per content; an earlier state that still waits is superseded."""
    with ctx.sessions.begin() as session:
        edit = folder_edit(ctx, session)
        if edit is not None and edit.is_known:
            return
        if edit is not None and (reason := why_not(ctx, edit)) is not None:
            _refuse(ctx, session, edit, reason)
            return
        board = next((b for b in ctx.boards if ctx.metric_of(b.name) is not None), None)
        for earlier in hypotheses.listed(
            session=session, project=ctx.project, statuses=[HypothesisStatus.QUEUED, HypothesisStatus.PAUSED]
        ):
            if earlier.source == SOURCE and earlier.implementation.code is not None:
                hypotheses.set_status(
                    session=session, project=ctx.project, hypothesis_id=earlier.id,
                    status=HypothesisStatus.SUPERSEDED, reason="superseded: the folder has been edited again",
                )  # fmt: skip
        if edit is not None and board is not None:
            _queue(ctx, session, edit, board)


def why_not(ctx: Context, edit: FolderEdit) -> str | None:
    """Why an edit is no candidate; None where it is one."""
    if edit.new_environment:
        return (
            "requirements.lock or Dockerfile differ from production's; a new environment is the operator's: "
            "code: {folder: follow} in schedule.yaml takes the folder as it is"
        )
    if edit.new_knobs:
        return (
            "solution.yaml declares other knobs, which count at once, and the program changes with them: restore the folder "
            "and propose a copy (hypothesis add, code: {folder: COPY}), which may add knobs; or code: {folder: follow} in "
            "schedule.yaml takes the folder as it is, unjudged"
        )
    return why_no_code(ctx)


def _refuse(ctx: Context, session: Session, edit: FolderEdit, reason: str) -> None:
    text = f"the solution's folder ({_files(edit)} changed) is not tried, and production goes on as it is: {reason}"
    if records.log(
        session=session, project=ctx.project, key=f"folder/{edit.tree}/{edit.base_tree}", kind=LogKind.IDEA,
        subject=SOURCE, reason=text, inputs={"tree": edit.tree, "files": list(edit.files)},
    ):  # fmt: skip
        ctx.say(text)


def _queue(ctx: Context, session: Session, edit: FolderEdit, board: Leaderboard) -> None:
    try:
        tree = tree_store.keep(ctx.bench.solution.path, ctx.bench.data.root)
    except (CodeChangedError, FileNotFoundError):
        return
    if tree != edit.tree:  # somebody is writing; the next call sees a state that holds
        return
    held, solution = production_config(ctx, session).candidate, ctx.bench.solution.solution
    gain = ctx.config.registry.promotion_threshold(board)
    title = f"the folder as of {ctx.now():%Y-%m-%d %H:%M}, {_files(edit)} changed"
    hypothesis = Hypothesis(
        id=hypotheses.UNNUMBERED,
        title=title,
        claim=f"the folder as it is now improves {board.name} by what a promotion takes, {gain:g}",
        source=SOURCE,
        target_leaderboards=[board.name],
        implementation=Implementation(
            change=f"edited: {', '.join(edit.files)}"[:1000], effort=Effort.LOW, estimated_gain=gain, base=held.params,
            code=CodeChange(tree=tree, base_tree=edit.base_tree, files=list(edit.files)),
        ),
        priority_score=priority_score(gain, Effort.LOW, Urgency.NORMAL),
        config_hash=config_hash(solution.name, solution.configured(held.params), ctx.bench.ref),
        tree=tree,
    )  # fmt: skip
    recorded, is_new = hypotheses.add(session=session, project=ctx.project, hypothesis=hypothesis)
    if not is_new:
        return
    records.log(
        session=session, project=ctx.project, key=f"idea/{recorded.id}", kind=LogKind.IDEA, subject=recorded.id,
        reason=title, inputs={"tree": tree, "files": list(edit.files)},
    )  # fmt: skip
    hypotheses.trim(session=session, project=ctx.project)
    ctx.say(f"{recorded.id}: {title}; production goes on with the code that it has")


def _files(edit: FolderEdit) -> str:
    return "1 file" if len(edit.files) == 1 else f"{len(edit.files)} files"
