"""The steps that build a benchmark. They import their implementation when they are called, so flows are light."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from auto_benchmark.project.context import Context


def choose(ctx: Context, request: str, out: str, owner: str, woken: bool) -> dict[str, Any] | None:
    """What is built: ``{"request", "folder", "follows"}``; None where another run answers what woke this one.

    Args:
        ctx: the project.
        request: that a person asks for; empty for that of a saturated board that waits.
        out: folder of the construction, below the project's; empty for the request's name.
        owner: name of the run.
        woken: an event started it.
    """
    from auto_benchmark.construction.in_project import choose as implementation

    return implementation(ctx, request, out, owner=owner, woken=woken)


def is_due(ctx: Context, owner: str) -> bool:
    """Whether a saturated board waits for a run of this owner, or for the end of one that was killed."""
    from auto_benchmark.construction.in_project import is_due as implementation

    return implementation(ctx, owner)


def construct(ctx: Context, request: str, out: str) -> dict[str, Any]:
    """Build what a request of the project asks for, or go on with it: ``{"name", "kept", "requested", "folder"}``."""
    from auto_benchmark.construction.in_project import construct_in_project

    return construct_in_project(ctx, request=request, out=out)


def check(ctx: Context, folder: str) -> dict[str, Any]:
    """Verify everything again from the files: ``{"items", "wrong_keys"}``; a problem fails the step."""
    from auto_benchmark.construction.in_project import check_in_project

    return check_in_project(ctx, folder)


def adopt(ctx: Context, folder: str, follows: str | None) -> dict[str, Any] | None:
    """Follow the new benchmark's board where a saturated one asked for it: ``{"board", "benchmark", "measured"}``."""
    from auto_benchmark.construction.adoption import adopt as implementation

    return None if follows is None else implementation(ctx, folder, follows)
