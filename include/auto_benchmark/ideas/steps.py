"""Steps about hypotheses from people. A step imports its implementation when it is called, so flows are light."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from auto_benchmark.project.context import Context


def reconcile(ctx: Context) -> dict[str, Any]:
    """Bring database, files and declarations into agreement, and take in what people have edited or queued as a file."""
    from auto_benchmark.ideas.folder_edit import queue_folder_edit
    from auto_benchmark.ideas.queue_folder import take_in_folder
    from auto_benchmark.project.reconcile import reconcile as implementation

    def take_in(ctx: Context) -> None:
        queue_folder_edit(ctx)
        take_in_folder(ctx)

    return implementation(ctx, before_views=take_in)
