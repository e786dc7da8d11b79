"""Boards that a person keeps by hand: a YAML file with a name and a score per system, or a CSV file."""

from __future__ import annotations

import re

from auto_benchmark.errors import ConfigError
from auto_benchmark.registry.leaderboard import Leaderboard
from auto_benchmark.sources import csv, yaml
from auto_benchmark.sources.page import Page
from auto_benchmark.tables.refusal import ReadRefused, Reason
from auto_benchmark.tables.table import Table
from auto_benchmark.tables.untyped import parse_untyped

_NUMBER = re.compile(r"\s*[-+]?\d[\d.,]*\s*%?\s*")


def is_hand_kept(page: Page) -> bool:
    """Whether a file on this machine holds nothing but a name and a number per line, as a board that a person keeps.

    Such a file names no metric. One from elsewhere, or in JSON, may be anything, and is not taken for a board.
    """
    if "://" in page.source.removeprefix("file://") or page.is_html or page.text.lstrip()[:1] in {"{", "["}:
        return False
    try:
        data = parse_untyped(page.text)
    except ConfigError:
        return False
    return isinstance(data, dict) and bool(data) and all(_NUMBER.fullmatch(str(value)) for value in data.values())


def tables(page: Page, spec: Leaderboard) -> list[Table]:
    """``{SystemA: 0.8, SystemB: 0.7}``, a list of ``{system, score}``, or a CSV file with a header.

    The value column of a plain mapping answers to the metric's name.

    Raises:
        ReadRefused: neither YAML nor CSV.
    """
    try:
        found = yaml.tables(page, spec)
    except ReadRefused as error:
        if error.reason_code is Reason.WRONG_FORMAT or "," not in page.text:
            raise
        return csv.tables(page, spec)
    for table in found:
        names = [name.casefold() for name in table.columns]
        if spec.primary_metric.casefold() not in names:
            for plain in ("<value>", "score", "latest_score"):
                if plain in names:
                    table.columns[names.index(plain)] = spec.primary_metric
                    break
    return found
