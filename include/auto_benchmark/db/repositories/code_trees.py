"""Which code rows are about, by the name under which it is stored; '' is code that was not stored when they were written.

What was recorded before code was stored is completed once: trials take the code that their fingerprint names, all else
the code that production has by then, since no code was told from another.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from sqlalchemy import select, update
from sqlalchemy.orm import Session

from auto_benchmark.db.models import Experiment, Hypothesis, ProductionConfig, Trial
from auto_benchmark.promotion.production import Role

_NAMING: Mapping[Any, tuple[Any, ...]] = {
    ProductionConfig: (ProductionConfig.tree,),
    Hypothesis: (Hypothesis.tree,),
    Experiment: (Experiment.tree, Experiment.control_tree),
    Trial: (Trial.tree,),
}


def known(*, session: Session, project: str) -> set[str]:
    """Every tree that was in a role or is a hypothesis' own."""
    rows = (ProductionConfig, Hypothesis)
    found = {tree for row in rows for tree in session.scalars(select(row.tree).where(row.project == project)) if tree}
    changes = select(Hypothesis.implementation["code"]).where(Hypothesis.project == project)
    return found.union(*(code.get("earlier", ()) for code in session.scalars(changes) if code))


def in_use(*, session: Session, project: str | None = None) -> set[str]:
    """Every tree that a row of the project names, or of any where it is None."""
    found: set[str] = set()
    for row, columns in _NAMING.items():
        for column in columns:
            query = select(column).distinct() if project is None else select(column).where(row.project == project)
            found |= {tree for tree in session.scalars(query) if tree}
    return found


def settle(*, session: Session, project: str, role: Role, tree: str) -> None:
    """Write down which code the holder of ``role`` has; no new configuration begins by that."""
    p = ProductionConfig
    holder = (p.project == project, p.role == role.value, p.closed_at.is_(None))
    session.execute(update(p).where(*holder).values(tree=tree))


def adopt(*, session: Session, project: str, tree: str) -> None:
    """Give every row of ``project`` that names no code the code that it was about; see the module."""
    ran = Trial.fingerprint["code"].as_string()
    is_tree = ran.regexp_match("^[0-9a-f]{16}$")
    unnamed = (Trial.project == project, Trial.tree == "")
    session.execute(update(Trial).where(*unnamed, is_tree).values(tree=ran))
    session.execute(update(Trial).where(*unnamed).values(tree=tree))
    for row in (Hypothesis, ProductionConfig, Experiment):
        session.execute(update(row).where(row.project == project, row.tree == "").values(tree=tree))
    against = (Experiment.project == project, Experiment.control_tree == "")
    session.execute(update(Experiment).where(*against).values(control_tree=tree))
