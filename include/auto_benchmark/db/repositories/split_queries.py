"""How often the splits of a benchmark were asked."""

from __future__ import annotations

from sqlalchemy import select
from sqlalchemy.dialects.postgresql import insert
from sqlalchemy.orm import Session

from auto_benchmark.db.models import SplitQueries

KEY = ("project", "benchmark", "benchmark_version", "split", "purpose")


def count(
    *, session: Session, project: str, benchmark: str, version: str, split: str, purpose: str, queries: int = 1
) -> None:
    """Count uses of a split. ``trials.finish`` counts its own; count a rescoring or a submission here."""
    _record(session, (project, benchmark, version, split, purpose), queries, adds=True)


def set_total(
    *, session: Session, project: str, benchmark: str, version: str, split: str, purpose: str, queries: int
) -> None:
    """Set what one purpose has used so far; the same total again changes nothing."""
    _record(session, (project, benchmark, version, split, purpose), queries, adds=False)


def _record(session: Session, key: tuple[str, ...], queries: int, *, adds: bool) -> None:
    """Add to what a key has used, or set it."""
    row = insert(SplitQueries).values(**dict(zip(KEY, key, strict=True)), queries=queries)
    total = SplitQueries.queries + row.excluded.queries if adds else row.excluded.queries
    session.execute(row.on_conflict_do_update(index_elements=list(KEY), set_={"queries": total}))


def by_split(*, session: Session, project: str) -> dict[str, dict[str, int]]:
    """``benchmark@version/split`` -> purpose -> number of queries."""
    found: dict[str, dict[str, int]] = {}
    s = SplitQueries
    order = (s.benchmark, s.benchmark_version, s.split, s.purpose)
    for row in session.scalars(select(s).where(s.project == project).order_by(*order)):
        found.setdefault(f"{row.benchmark}@{row.benchmark_version}/{row.split}", {})[row.purpose] = row.queries
    return found
