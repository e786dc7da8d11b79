"""Constructions of a project: requests lie in its configuration folder, results in its home."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from sqlalchemy.orm import Session

from auto_benchmark.construction.check import check
from auto_benchmark.construction.run import run
from auto_benchmark.db.repositories import records, triggers
from auto_benchmark.errors import AutoBenchmarkError, InputError
from auto_benchmark.kinds import LogKind
from auto_benchmark.leaderboards.triggers import Action
from auto_benchmark.project.configuration import project_directory, shown
from auto_benchmark.project.context import Context

FOLDER = "constructions"
MOST_ADOPTIONS = 10_000
REQUEST = "request.yaml"
"""What a person builds who names no request."""


class NotVerifiedError(AutoBenchmarkError):
    """A finished construction that its own check does not pass: a fault of ours."""


def choose(ctx: Context, request: str, out: str, *, owner: str, woken: bool) -> dict[str, Any] | None:
    """The request that a run builds: the one that it is given, else that of a saturated board that waits for it.

    Returns:
        ``{"request", "folder", "follows"}``, the last a board's name or None; None where nothing waits for a run that an
        event started.
    """
    if not request:
        with ctx.sessions.begin() as session:
            board = triggers.claim_one(
                session=session, project=ctx.project, action=Action.BENCHMARK_CONSTRUCTION, owner=owner,
                done=followed(ctx, session), now=ctx.now(),
            )  # fmt: skip
        if board is not None:
            return _following(ctx, board, out)
        if woken:
            return None
    return {"request": request or REQUEST, "folder": out or Path(request or REQUEST).stem, "follows": None}


def is_due(ctx: Context, owner: str) -> bool:
    """Whether a saturated board waits for a run of this owner, or for the end of one that was killed."""
    with ctx.sessions() as session:
        return triggers.open_to(
            session=session, project=ctx.project, action=Action.BENCHMARK_CONSTRUCTION, owner=owner,
            done=followed(ctx, session),
        )  # fmt: skip


def followed(ctx: Context, session: Session) -> set[str]:
    """Saturated boards after which another was adopted."""
    adopted = records.logged(session=session, project=ctx.project, kind=LogKind.ADOPTION, limit=MOST_ADOPTIONS)
    return {str(entry.inputs.get("follows")) for entry in adopted}


def _following(ctx: Context, board: str, out: str) -> dict[str, Any]:
    """Raises InputError where the board is no longer followed, or names no request."""
    declared = next((b for b in ctx.boards if b.name == board), None)
    request = None if declared is None else declared.saturation.request
    if request is None:
        raise InputError(f"{board} names no request under saturation in the registry")
    return {"request": request, "folder": out or Path(request).stem, "follows": board}


def construct_in_project(ctx: Context, *, request: str, out: str = "") -> dict[str, Any]:
    """Build what ``request`` asks for, or go on with it.

    Returns:
        ``{"name", "kept", "requested", "folder"}``; the folder's name below the project's constructions.

    Raises:
        InputError: there is no such file; ConfigError and RefusedError as ``construct run``.
    """
    file = project_directory(ctx.settings, ctx.project) / request
    if not file.is_file():
        raise InputError(f"no request {shown(file)}")
    folder = out or file.stem
    told = run(ctx.settings, file, ctx.home / FOLDER / folder, say=ctx.say, connections=ctx.connections)
    return {"name": told["name"], "kept": told["kept"], "requested": told["requested"], "folder": folder}


def check_in_project(ctx: Context, folder: str) -> dict[str, Any]:
    """Verify a finished construction of the project.

    Raises:
        NotVerifiedError: it has problems; the message names the first five.
    """
    found = check(ctx.home / FOLDER / folder)
    if found.problems:
        raise NotVerifiedError(f"{len(found.problems)} problems: " + "; ".join(found.problems[:5]))
    return {"items": found.items, "wrong_keys": found.wrong_keys}
