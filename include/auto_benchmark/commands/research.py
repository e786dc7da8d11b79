"""``auto-benchmark research ...``."""

from __future__ import annotations

import typer

app = typer.Typer(no_args_is_help=True, help="Extract techniques and gains from papers.")


@app.callback()
def _group() -> None:
    """Commands of this group."""
