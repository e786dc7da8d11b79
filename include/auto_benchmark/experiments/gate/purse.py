"""The level that the sources of a project may spend, read from what its decisions have spent."""

from __future__ import annotations

from typing import Any

from sqlalchemy.orm import Session

from auto_benchmark.db.repositories import decisions
from auto_benchmark.promotion.level import Purse
from auto_benchmark.registry.schedule import GateShares


def purse(*, session: Session, project: str, shares: GateShares) -> Purse:
    """As it is after every verdict that is final."""
    return Purse.after(decisions.ended(session=session, project=project), shares.parts())


def by_source(held: Purse) -> list[dict[str, Any]]:
    """``{"source", "share", "judged", "promoted", "next_level", "remaining"}`` of each source, as people read them."""
    return [_line(held, source) for source in held.parts]


def _line(held: Purse, source: str) -> dict[str, Any]:
    has = held.of(source)
    return {
        "source": source, "share": held.parts[source], "judged": has.tests, "promoted": has.discoveries,
        "next_level": has.next_level, "remaining": has.remaining,
    }  # fmt: skip
