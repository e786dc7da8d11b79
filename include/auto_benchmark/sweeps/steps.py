"""The step that runs a sweep spec. It imports its implementation when it is called, so flows are light."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from auto_benchmark.project.context import Context


def run_sweep(ctx: Context, spec: str, out: str | None) -> dict[str, Any]:
    """Run or resume a sweep of the project: ``{"name", "runs", "done", "failed", "report"}``."""
    from auto_benchmark.sweeps.run import run_in_project

    return run_in_project(ctx, spec=spec, out=out or "")
