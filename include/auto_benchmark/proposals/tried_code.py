"""Code that was tried from the same start, with what the search split said of it: an agent may build on any of it.

What the gate said of it is not known here.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from statistics import fmean
from typing import Any

from pydantic import Field, TypeAdapter, ValidationError
from sqlalchemy.orm import Session

from auto_benchmark.agents.patch import unified
from auto_benchmark.agents.workspace import Files, WorkspaceError, all_files
from auto_benchmark.artifacts import tree_store
from auto_benchmark.boards.standing import Focus
from auto_benchmark.contract.trial import Stage
from auto_benchmark.db.repositories import hypotheses, observations, records
from auto_benchmark.documents import Strict
from auto_benchmark.errors import InputError
from auto_benchmark.kinds import LogKind, Purpose
from auto_benchmark.project.context import Context
from auto_benchmark.promotion.production import ProductionCandidate
from auto_benchmark.registry.names import Number

BEST = "best"
MOST, MOST_RUNS = 20, 200
LONGEST_PATCH, LONGEST_PATCHES = 16_384, 65_536
"""Characters of one patch that an agent is shown, and of all of them."""


class AttemptedCode(Strict):
    """An attempt as the log of a run keeps it; it becomes a path, and may come from an archive."""

    tree: str = Field(pattern=r"^[0-9a-f]{16}$")
    title: str
    score: Number


_Attempts = TypeAdapter(list[AttemptedCode])


@dataclass(frozen=True, slots=True)
class TriedCode:
    """One tree.

    Attributes:
        title: in the words of who made it.
        files: that differ from the code that it started from; empty where an attempt was not queued.
        score: on the search split; None where it was never measured there.
    """

    tree: str
    title: str
    files: tuple[str, ...]
    score: float | None


def tried_code(ctx: Context, session: Session, aim: Focus, base: ProductionCandidate) -> list[TriedCode]:
    """Every change of ``base``'s code that was measured or proposed, best first, each tree once."""
    sign = 1.0 if aim.higher_is_better else -1.0
    found: dict[str, TriedCode] = {}
    for each in (*_proposed(ctx, session, aim, base), *_attempts(ctx, session, aim, base)):
        found.setdefault(each.tree, each)
    found.pop(base.tree, None)
    return sorted(found.values(), key=lambda t: (t.score is None, -sign * (t.score or 0.0), t.tree))[:MOST]


def as_history(tried: list[TriedCode], ctx: Context, base: Files) -> list[dict[str, Any]]:
    """``{"tree", "title", "files", "score", "patch"}``; no patch where it is too long, or the tree is not stored."""
    lines, room = [], LONGEST_PATCHES
    for each in tried:
        files = stored(ctx, each.tree)
        patch = "" if files is None else unified(base, files)
        patch = patch if len(patch) <= min(LONGEST_PATCH, room) else ""
        room -= len(patch)
        lines.append(
            {"tree": each.tree, "title": each.title, "files": list(each.files), "score": each.score, "patch": patch}
        )
    return lines


def stored(ctx: Context, tree: str) -> Files | None:
    """The files of a tree; None where it is not stored, or damaged, or more than a workspace holds."""
    name, root = ctx.bench.solution.path.name, ctx.bench.data.root
    try:
        return all_files(tree_store.find(tree, name, root)).files if tree_store.holds(tree, name, root) else None
    except WorkspaceError:
        return None


def start_of(ctx: Context, wanted: str, tried: list[TriedCode], ids: Mapping[str, str]) -> Files:
    """The files that an agent begins with: those of the best tried tree, or of one that is named.

    Args:
        ctx: the project.
        wanted: ``best``, a tree, or the id of a hypothesis.
        tried: best first.
        ids: hypothesis -> its tree.

    Raises:
        InputError: nothing of that name was tried from the present code, or it is not stored any more.
    """
    scored = [each.tree for each in tried if each.score is not None]
    tree = ids.get(wanted, wanted) if wanted != BEST else next(iter(scored), None)
    if tree is None:
        raise InputError("--start best: no change of the present code has a score on the search split yet")
    if tree not in {each.tree for each in tried}:
        raise InputError(f"--start {wanted[:80]}: is not code that was tried from the present code")
    files = stored(ctx, tree)
    if files is None:
        raise InputError(f"--start {wanted[:80]}: the code {tree} is not stored any more")
    return files


def _proposed(ctx: Context, session: Session, aim: Focus, base: ProductionCandidate) -> Iterator[TriedCode]:
    for each in hypotheses.listed(session=session, project=ctx.project):
        code = each.implementation.code
        if code is None or code.base_tree != base.tree:
            continue
        ran = observations.of_config(
            session=session, project=ctx.project, config_hash=each.config_hash, stage=Stage.FAST,
            purposes=[Purpose.SEARCH], tree=each.tree,
        )  # fmt: skip
        scores = [one.observation.metrics[aim.metric] for one in ran if aim.metric in one.observation.metrics]
        yield TriedCode(each.tree, each.title, tuple(code.files), round(fmean(scores), 6) if scores else None)


def _attempts(ctx: Context, session: Session, aim: Focus, base: ProductionCandidate) -> Iterator[TriedCode]:
    """Attempts of agents that were measured, whether they were chosen or not."""
    for entry in records.logged(session=session, project=ctx.project, kind=LogKind.PROPOSAL, limit=MOST_RUNS):
        if (entry.inputs.get("base"), entry.inputs.get("metric")) != (base.tree, aim.metric):
            continue
        try:
            kept = _Attempts.validate_python(entry.inputs.get("tried", []))
        except ValidationError:
            continue
        yield from (TriedCode(each.tree, each.title, (), each.score) for each in kept)
