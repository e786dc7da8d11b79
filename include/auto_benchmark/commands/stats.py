"""``auto-benchmark stats ...``."""

from __future__ import annotations

import typer

app = typer.Typer(no_args_is_help=True, help="Decide, simulate and replay promotions.")


@app.callback()
def _group() -> None:
    """Commands of this group."""
