"""Technique names that the catalogue does not know, put to people once each."""

from __future__ import annotations

from collections.abc import Sequence

from sqlalchemy.orm import Session

from auto_benchmark.db.repositories import records
from auto_benchmark.kinds import LogKind
from auto_benchmark.papers.rules import Rules
from auto_benchmark.project.context import Context
from auto_benchmark.research.record import PaperRecord


def propose_names(ctx: Context, session: Session, rules: Rules, screened: Sequence[PaperRecord]) -> None:
    """Log the unknown names that relevant papers credit: a person adds them to the catalogue or does not.

    Such names come from title and abstract alone, so that the screen's reading has them all; what a second reader finds
    later is not proposed.
    """
    for record in (record for record in screened if record.relevant):
        for technique in (record.reading or rules.reading(record)).techniques:
            if technique.id is None:
                records.log(
                    session=session, project=ctx.project, key=f"technique/{technique.name.casefold()[:120]}",
                    kind=LogKind.TECHNIQUE_PROPOSAL, subject=technique.name[:200],
                    reason=f"{record.id} credits a technique that technique_catalog.yaml does not know "
                    f"({technique.kind.value}): {' '.join(technique.sentence.split())[:300]}",
                    inputs={"paper": record.id, "kind": technique.kind.value},
                )  # fmt: skip
