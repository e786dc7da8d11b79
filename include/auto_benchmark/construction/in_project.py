"""Constructions of a project: requests lie in its configuration folder, results in its home."""

from __future__ import annotations

from typing import Any

from auto_benchmark.construction.check import check
from auto_benchmark.construction.run import run
from auto_benchmark.errors import AutoBenchmarkError, InputError
from auto_benchmark.project.configuration import project_directory, shown
from auto_benchmark.project.context import Context

FOLDER = "constructions"


class NotVerifiedError(AutoBenchmarkError):
    """A finished construction that its own check does not pass: a fault of ours."""


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
    told = run(ctx.settings, file, ctx.home / FOLDER / folder, say=ctx.say)
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
