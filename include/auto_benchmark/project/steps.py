"""Steps about the project as a whole. A step imports its implementation when it is called, so flows are light."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from auto_benchmark.project.context import Context


def reconcile(ctx: Context) -> dict[str, Any]:
    """Bring database, files and declarations into agreement; see :mod:`auto_benchmark.project.reconcile`."""
    from auto_benchmark.project.reconcile import reconcile as implementation

    return implementation(ctx)
