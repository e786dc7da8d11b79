"""The step that lets the project's agent work on the code. It imports its implementation when called, so flows are light."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from auto_benchmark.project.context import Context


def propose(ctx: Context, number: int) -> dict[str, Any] | None:
    """Let the agent of ``schedule.yaml`` work on the code; what goes wrong there is told, and stops nothing.

    Args:
        ctx: the project.
        number: of the experiment in its sweep; the agent works at the first.

    Returns:
        ``{"hypothesis_id", "reason"}``; None where no agent is declared, or nothing came of it.
    """
    if number != 1 or ctx.config.schedule.proposals.agent is None:
        return None
    from auto_benchmark.proposals.declared import propose_as_declared

    return propose_as_declared(ctx)
