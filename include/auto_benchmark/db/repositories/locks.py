"""Advisory locks: one holder at a time for work that has no row of its own."""

from __future__ import annotations

from sqlalchemy import text
from sqlalchemy.orm import Session

_KEY = "hashtextextended('auto_benchmark/' || :project || '/' || :what, 0)"


def lock(*, session: Session, project: str, what: str) -> None:
    """Wait for the lock ``what`` of ``project`` (``registry`` guards the rendering of the live registry).

    It is held until the transaction ends. Render and rename inside that transaction, reading what is committed.
    """
    session.execute(text(f"SELECT pg_advisory_xact_lock({_KEY})"), {"project": project, "what": what})


def try_lock(*, session: Session, project: str, what: str) -> bool:
    """Take the lock ``what`` of ``project`` if it is free; whether it was taken."""
    taken = session.scalar(text(f"SELECT pg_try_advisory_xact_lock({_KEY})"), {"project": project, "what": what})
    return bool(taken)
