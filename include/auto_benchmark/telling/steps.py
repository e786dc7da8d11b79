"""Steps that tell people what has happened. A step imports its implementation when it is called."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from auto_benchmark.project.context import Context


def notify(ctx: Context) -> dict[str, Any]:
    """Write what is new to the outbox and deliver what is due; see :func:`auto_benchmark.telling.slack.notify`."""
    from auto_benchmark.telling.slack import notify as implementation

    return implementation(ctx)


def check_overdue(ctx: Context) -> list[str]:
    """Alert about what was due and did not run; returns what is overdue."""
    from auto_benchmark.telling.overdue import check_overdue as implementation

    return implementation(ctx)


def write_digest(ctx: Context, day: str) -> dict[str, Any]:
    """Write the digest of the week that ``day`` (ISO) lies in: ``{"week", "path"}``."""
    from auto_benchmark.telling.digest import write_digest_of

    return write_digest_of(ctx, day)


def write_logs(ctx: Context) -> None:
    """Write the technical log and the changelog."""
    from auto_benchmark.telling.technical_log import write_logs as implementation

    implementation(ctx)
