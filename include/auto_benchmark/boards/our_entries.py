"""Which rows of a board are ours: what the database knows of it, the questions to a person, and the answers."""

from __future__ import annotations

from sqlalchemy.orm import Session

from auto_benchmark.db.repositories import board_history, outbox, records, submissions
from auto_benchmark.db.repositories.records import ApprovalAnswer
from auto_benchmark.kinds import LogKind
from auto_benchmark.leaderboards.aside import AsideRow, Whose
from auto_benchmark.leaderboards.our_entries import HandedIn, JudgedBoard, Known, not_ours
from auto_benchmark.leaderboards.our_names import OurNames
from auto_benchmark.leaderboards.snapshot import Snapshot
from auto_benchmark.project.context import Context
from auto_benchmark.tables.entry import ParsedBoard

OUR_NAME = "our-name/"
"""What the keys of these questions begin with."""
MOST_SUBMISSIONS = 200


def known_scores(ctx: Context, session: Session, board: str) -> Known:
    """What is known of our scores on a board."""
    declared = ctx.config.registry.our_solution.current_scores.get(board)
    earlier = board_history.our_scores(session=session, project=ctx.project, board=board)
    accepted = submissions.listed(session=session, project=ctx.project, board=board, limit=MOST_SUBMISSIONS)
    said = {ApprovalAnswer.APPROVED: set[float](), ApprovalAnswer.REJECTED: set[float]()}
    for inputs, answer in records.answered(session=session, project=ctx.project, prefix=f"{OUR_NAME}{board}/"):
        said[answer].add(float(inputs["score"]))
    return Known(
        earlier=[*([] if declared is None else [declared]), *earlier],
        handed_in=[HandedIn(s.id, s.score, s.created_at) for s in accepted if s.state == "accepted"],
        ours=frozenset(said[ApprovalAnswer.APPROVED]),
        denied=frozenset(said[ApprovalAnswer.REJECTED]),
        in_flight=outbox.held(session=session, project=ctx.project, topic=submissions.TOPIC) > 0,
    )


def record(ctx: Context, session: Session, board: str, found: JudgedBoard) -> list[str]:
    """Note what a reading says about our name: new spellings, a score that was waited for, questions to a person.

    Questions about rows that are not open any more are closed.

    Returns:
        Lines for people about what was not known before.
    """
    lines = [line for name in found.variations if (line := _note_variation(ctx, session, board, name))]
    if found.scored is not None:
        lines += _note_score(ctx, session, board, *found.scored)
    open_rows = [row for row in found.aside if row.whose is Whose.UNCONFIRMED]
    for row in open_rows:
        _ask(ctx, session, board, row)
    asked = {_key(board, row.score) for row in open_rows}
    records.resolve_others(
        session=session, project=ctx.project, prefix=f"{OUR_NAME}{board}/", keep=asked,
        resolution="the board does not show it any more, or it is known to be ours now",
    )  # fmt: skip
    return lines


def is_reading_of(ctx: Context, last: Snapshot, board: ParsedBoard) -> bool:
    """Whether a board, as read, lists every competitor of a snapshot with its score."""
    names = OurNames(ctx.ours)
    told, _ = names.with_imitations_renamed(board.entries)
    listed = {(e.system, e.score) for e in told} | {(not_ours(e.system), e.score) for e in told if names.borne_by(e)}
    return all((e.system, e.score) in listed for e in last.entries if e.score is not None and not names.borne_by(e))


def answer(ctx: Context, session: Session, what: str, said: ApprovalAnswer, *, by: str) -> bool:
    """Write down whether a row is ours; whether the question was still open.

    Args:
        ctx: the project.
        session: of the caller's transaction.
        what: ``<board>/<score>``.
        said: yes or no.
        by: who says so, and why.
    """
    meaning = "handed in by us" if said is ApprovalAnswer.APPROVED else "not ours"
    resolution = f"{said} by {by}: {meaning}"
    return records.resolve(
        session=session, project=ctx.project, key=f"{OUR_NAME}{what}", resolution=resolution, answer=said
    )


def board_of(what: str) -> str:
    """The board that a question is about. A board's name holds no slash."""
    return what.partition("/")[0]


def _key(board: str, score: float) -> str:
    return f"{OUR_NAME}{board}/{score!r}"


def _ask(ctx: Context, session: Session, board: str, row: AsideRow) -> None:
    records.escalate(
        session=session, project=ctx.project, key=_key(board, row.score), again=True,
        title=f"{board} shows {row.score:.10g} under our name: did we hand it in?",
        brief=f"{board} lists {row.name!r} with {row.score:.10g}, first read at {row.since.isoformat(timespec='minutes')}. "
        "No submission of ours, no declared score and no earlier snapshot has it.\n\n"
        "Approve it if we handed it in: it then counts as ours. Reject it if we did not: it then counts as a "
        "competitor's. Until then our standing is that of our last confirmed entry.",
        inputs={"board": board, "score": row.score, "name": row.name},
    )  # fmt: skip


def _note_variation(ctx: Context, session: Session, board: str, name: str) -> str | None:
    text = f"{board} writes our name {name!r}; it counts as ours"
    new = records.log(
        session=session, project=ctx.project, key=f"our-name/{board}/{name}", kind=LogKind.OUR_NAME, subject=board,
        reason=text, inputs={"name": name},
    )  # fmt: skip
    return f"[INFO] {text}" if new else None


def _note_score(ctx: Context, session: Session, board: str, submission_id: int, score: float) -> list[str]:
    text = (
        f"{board} shows {score:.10g} under our name; it is taken to be the score of submission {submission_id}, "
        "whose answer gave none"
    )
    submissions.set_state(session=session, submission_id=submission_id, state="accepted", score=score)
    records.log(
        session=session, project=ctx.project, key=f"submission-score/{submission_id}", kind=LogKind.SUBMISSION,
        subject=board, reason=text, inputs={"submission_id": submission_id, "score": score},
    )  # fmt: skip
    return [f"[INFO] {text}"]
