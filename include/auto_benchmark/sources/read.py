"""Read one board out of one document: the single entry point for steps and the command line."""

from __future__ import annotations

from collections.abc import Callable
from importlib import import_module

from auto_benchmark.registry.leaderboard import Leaderboard, ScrapeMethod
from auto_benchmark.sources.page import Page
from auto_benchmark.tables.board import board_from_table, choose
from auto_benchmark.tables.entry import ParsedBoard
from auto_benchmark.tables.refusal import ReadRefused
from auto_benchmark.tables.table import Table

TableReader = Callable[[Page, Leaderboard], list[Table]]


def table_reader(method: ScrapeMethod) -> TableReader:
    """The ``tables`` function of the source module that bears the method's name (imported on first use)."""
    reader: TableReader = import_module(f"auto_benchmark.sources.{method.value}").tables
    return reader


def read_board(content: bytes, spec: Leaderboard, *, source: str, content_type: str | None = None) -> ParsedBoard:
    """Read a document.

    Args:
        content: its bytes.
        spec: where the board stands in it, and what its metric is.
        source: URL or path, for messages.
        content_type: as the server said.

    Returns:
        Entries best first, warnings, and the spec that was found.

    Raises:
        ReadRefused: the board cannot be read with certainty. ``reason_code`` says why.
    """
    page = Page(content, source, content_type)
    if spec.scrape_method is ScrapeMethod.AUTO:
        from auto_benchmark.sources.auto import detect

        method, table = detect(page, spec)
    else:
        method = spec.scrape_method
        table = choose(table_reader(method)(page, spec), spec, seen=page.seen)
    try:
        return board_from_table(table, spec, method=method)
    except ReadRefused as error:
        raise ReadRefused(error.reason_code, f"{spec.name}: {error.message}") from None
