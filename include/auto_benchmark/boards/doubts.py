"""A reading that looks impossible: a person is asked whether the board really shows it.

The question names the reading by its document, so that an answer holds for that one alone. A later plausible reading
closes it.
"""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from typing import NamedTuple

from sqlalchemy.orm import Session

from auto_benchmark.db.repositories import records
from auto_benchmark.db.repositories.records import ApprovalAnswer
from auto_benchmark.project.context import Context

DOUBT = "doubt/"
"""What the keys of these questions begin with."""
SHOWN_DIGITS = 12


class Believed(NamedTuple):
    """A refused reading that a person says is so: the board, its archived document, and when it was read."""

    board: str
    digest: str
    content_type: str | None
    read_at: datetime


def ask(ctx: Context, session: Session, board: str, digest: str, content_type: str | None, why: str) -> None:
    """Ask about a refused reading; an older one of the board that still waits is closed."""
    key = _key(board, digest)
    _close(ctx, session, board, "a newer reading is asked about", keep=[key])
    records.escalate(
        session=session, project=ctx.project, key=key, again=True, title=f"{board} reads unlike before: is it so?",
        brief=f"The last reading of {board} was not taken in: {why}.\n\nApprove it if the board really shows this: it is "
        "then what later readings are compared with. Reject it if not, and correct the file or the board's spec; until "
        "then our standing is that of the reading before.",
        inputs={"board": board, "digest": digest, "content_type": content_type, "read_at": ctx.now().isoformat()},
    )  # fmt: skip


def is_believed(ctx: Context, session: Session, board: str, digest: str) -> bool:
    """Whether a person has said that a board shows what this document says."""
    said = records.answered(session=session, project=ctx.project, prefix=_key(board, digest))
    return any(inputs["digest"] == digest and answer is ApprovalAnswer.APPROVED for inputs, answer in said)


def settle(ctx: Context, session: Session, board: str) -> None:
    """Close what is open about a board of which a reading was taken in."""
    _close(ctx, session, board, "a reading has been taken in since")


def answer(ctx: Context, session: Session, what: str, said: ApprovalAnswer, *, by: str) -> Believed | None:
    """Write down what a person says; None when no such question is open."""
    if not what.startswith(DOUBT) or not records.resolve(
        session=session, project=ctx.project, key=what, resolution=f"{said} by {by}", answer=said
    ):
        return None
    [(inputs, _)] = records.answered(session=session, project=ctx.project, prefix=what)
    return Believed(
        inputs["board"], inputs["digest"], inputs["content_type"], datetime.fromisoformat(inputs["read_at"])
    )


def _key(board: str, digest: str) -> str:
    return f"{DOUBT}{board}/{digest[:SHOWN_DIGITS]}"


def _close(ctx: Context, session: Session, board: str, why: str, *, keep: Sequence[str] = ()) -> None:
    prefix = f"{DOUBT}{board}/"
    records.resolve_others(session=session, project=ctx.project, prefix=prefix, keep=keep, resolution=why)
