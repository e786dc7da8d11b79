"""The steps that build a benchmark. They import their implementation when they are called, so flows are light."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from auto_benchmark.project.context import Context


def construct(ctx: Context, request: str, out: str | None) -> dict[str, Any]:
    """Build what a request of the project asks for, or go on with it: ``{"name", "kept", "requested", "folder"}``."""
    from auto_benchmark.construction.in_project import construct_in_project

    return construct_in_project(ctx, request=request, out=out or "")


def check(ctx: Context, folder: str) -> dict[str, Any]:
    """Verify everything again from the files: ``{"items", "wrong_keys"}``; a problem fails the step."""
    from auto_benchmark.construction.in_project import check_in_project

    return check_in_project(ctx, folder)
