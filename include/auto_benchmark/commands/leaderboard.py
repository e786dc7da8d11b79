"""``auto-benchmark leaderboard ...``."""

from __future__ import annotations

import typer

app = typer.Typer(no_args_is_help=True, help="Read, compare and replay leaderboards.")


@app.callback()
def _group() -> None:
    """Commands of this group."""
