"""Leaderboards as YAML files. Every scalar is read as text, so that YAML's booleans and octals change nothing."""

from __future__ import annotations

from auto_benchmark.errors import ConfigError
from auto_benchmark.registry.leaderboard import Leaderboard
from auto_benchmark.sources.page import Page
from auto_benchmark.sources.records import tables_at, tables_in
from auto_benchmark.tables.refusal import ReadRefused, Reason
from auto_benchmark.tables.table import Table
from auto_benchmark.tables.untyped import parse_untyped


def tables(page: Page, spec: Leaderboard) -> list[Table]:
    """The file's tables, or the one that ``locate.jsonpath`` selects.

    Raises:
        ReadRefused: not YAML, an HTML page instead, or no records in it.
    """
    if page.is_html:
        raise ReadRefused(Reason.WRONG_FORMAT, f"YAML expected, got {page.seen}")
    try:
        data = parse_untyped(page.text)
    except ConfigError as error:
        fault = error.faults[0]
        place = page.source if fault.line is None else f"{page.source}:{fault.line}"
        raise ReadRefused(Reason.MALFORMED, f"{place}: {fault.message}") from None
    if spec.locate and spec.locate.jsonpath:
        return tables_at(data, spec.locate.jsonpath, page.seen)
    found = tables_in(data)
    if not found:
        raise ReadRefused(Reason.NO_TABLE, f"{page.seen} is YAML without a list or mapping of records")
    return found
