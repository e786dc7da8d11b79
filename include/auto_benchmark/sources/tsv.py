"""Leaderboards as tab-separated files."""

from __future__ import annotations

from auto_benchmark.registry.leaderboard import Leaderboard
from auto_benchmark.sources.csv import delimited_table
from auto_benchmark.sources.page import Page
from auto_benchmark.tables.table import Table


def tables(page: Page, spec: Leaderboard) -> list[Table]:
    """The file as its one table. Raises ReadRefused as :func:`delimited_table` does."""
    return [delimited_table(page, spec, "\t")]
