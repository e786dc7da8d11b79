"""Steps that defend production. A step imports its implementation when it is called, so flows are light."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from auto_benchmark.project.context import Context


def is_leading(ctx: Context, owner: str, woken: bool) -> bool:
    """Whether we are #1 on some board, and the run has something to do; it answers the wins that wait.

    Args:
        ctx: the project.
        owner: name of the run.
        woken: an event started it; if another run has answered that, there is nothing to do.
    """
    from auto_benchmark.boards.landscape import answers
    from auto_benchmark.defense.production import is_leading as implementation
    from auto_benchmark.leaderboards.triggers import Action

    has_work = answers(ctx, Action.MAINTENANCE_SWEEP, owner=owner, woken=woken)
    return has_work and implementation(ctx)


def check_promises(ctx: Context) -> list[dict[str, Any]]:
    """Compare what promotions promised with what boards show."""
    from auto_benchmark.defense.promises import check_promises as implementation

    return implementation(ctx)


def plan_defense(ctx: Context) -> list[int]:
    """Plan this cycle's trials of production."""
    from auto_benchmark.defense.production import plan_defense as implementation

    return implementation(ctx)


def detect(ctx: Context) -> list[str]:
    """Names of the metrics whose alarm rings."""
    from auto_benchmark.defense.production import detect as implementation

    return implementation(ctx)


def watch_entrants(ctx: Context) -> list[dict[str, Any]]:
    """Competitors within 5 % behind us on boards that we lead."""
    from auto_benchmark.defense.production import watch_entrants as implementation

    return implementation(ctx)


def plan_confirmation(ctx: Context, alarms: Sequence[str]) -> list[int]:
    """Plan fresh seeds of production."""
    from auto_benchmark.defense.production import plan_confirmation as implementation

    return implementation(ctx, alarms)


def confirm_alarms(ctx: Context, alarms: Sequence[str]) -> list[dict[str, Any]]:
    """The regressions that fresh trials confirm."""
    from auto_benchmark.defense.production import confirm_alarms as implementation

    return implementation(ctx, alarms)


def plan_comparison(ctx: Context, regressions: Sequence[dict[str, Any]]) -> list[int]:
    """Plan trials of the configuration before production."""
    from auto_benchmark.defense.production import plan_comparison as implementation

    return implementation(ctx, regressions)


def respond(ctx: Context, regressions: Sequence[dict[str, Any]]) -> list[dict[str, Any]]:
    """Go back where that is better now, else hand the case to people."""
    from auto_benchmark.defense.production import respond as implementation

    return implementation(ctx, regressions)
