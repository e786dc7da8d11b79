"""Leaderboards as JSON: from an API, in a JavaScript file, or embedded in a page."""

from __future__ import annotations

import re
from typing import Any

from auto_benchmark.registry.leaderboard import Leaderboard
from auto_benchmark.sources.javascript import literals, parse_json
from auto_benchmark.sources.no_table import no_table
from auto_benchmark.sources.page import Page
from auto_benchmark.sources.records import tables_at, tables_in
from auto_benchmark.tables.refusal import ReadRefused, Reason
from auto_benchmark.tables.table import Table

_WRAPPING = re.compile(r"(?:/\*\*/\s*)?(?:[\w$.]{1,80}\s*\(|\)\]\}',?)\s*(?=[\[{])")
"""JSONP, or JSON behind the guard against inclusion in other sites' scripts."""
_EMPTY = re.compile(r"[\[{]\s*+[\]}]")
FEW_EMPTY = 1000
MOST_EMPTY = 0.25
"""Share of a document that empty lists and objects may fill; each takes twenty times its text in memory."""
LARGEST_BYTES = 2**30
"""Memory that a document's values may take."""
_BYTES = {"[": 72, "{": 240, ",": 40, '"': 35}
"""Memory of what each sign in a document makes, about."""


def tables(page: Page, spec: Leaderboard) -> list[Table]:
    """Tables of the JSON document, or of every data literal in a script or page.

    Raises:
        ReadRefused: no data, or none where the locator points.
    """
    jsonpath = spec.locate.jsonpath if spec.locate else None
    blobs = data_in(page)
    if not blobs:
        if page.is_html:
            raise no_table(page)
        raise ReadRefused(Reason.MALFORMED, f"{page.seen} is neither JSON nor a script with data: {page.text[:60]!r}")
    if jsonpath:
        return _at(blobs, jsonpath, page)
    found: list[Table] = []
    for name, data in blobs:
        for table in tables_in(data):
            table.label = f"{table.label} of {name}" if name else table.label
            found.append(table)
    if not found:
        raise ReadRefused(Reason.NO_TABLE, f"{page.seen} holds data but no list or object of records")
    return found


def data_in(page: Page) -> list[tuple[str, Any]]:
    """(name, data) of the document itself, or of every literal assigned or embedded in it.

    Raises:
        ReadRefused: JSON that breaks off.
    """
    text = page.text.strip()
    _refuse_swelling(text, page.source)
    if (wrapping := _WRAPPING.match(text)) is not None:
        inner = text[wrapping.end() :].removesuffix(";").rstrip().removesuffix(")").rstrip()
        text = inner if inner[-1:] in "]}" else text
    if not page.is_html:
        try:
            return [("", parse_json(text))]
        except ValueError as error:
            if lines := _json_lines(text):
                return [("", lines)]
            found = literals(text)
            if not found and text[:1] in "[{":
                raise ReadRefused(Reason.MALFORMED, f"{page.source} is broken JSON: {error}") from None
            if found and text[:1] in "[{" and not text.startswith("{%"):
                raise ReadRefused(Reason.MALFORMED, f"{page.source} is broken JSON: {error}") from None
            return found
    return literals(text)


def _refuse_swelling(text: str, source: str) -> None:
    """Raise ReadRefused for a document whose values would take far more memory than its text."""
    empty = sum(1 for _ in _EMPTY.finditer(text)) if text.count("[") + text.count("{") > FEW_EMPTY else 0
    if empty > FEW_EMPTY and 2 * empty > MOST_EMPTY * len(text):
        raise ReadRefused(Reason.TOO_LARGE, f"{source} holds little else than {empty} empty lists and objects")
    if sum(size * text.count(sign) for sign, size in _BYTES.items()) > LARGEST_BYTES:
        raise ReadRefused(Reason.TOO_LARGE, f"the values of {source} take more than {LARGEST_BYTES >> 20} MiB")


def _json_lines(text: str) -> list[Any]:
    """One record a line, or nothing."""
    if not text.startswith("{"):
        return []
    try:
        return [parse_json(line) for line in text.split("\n") if line.strip()]
    except ValueError:
        return []


def _at(blobs: list[tuple[str, Any]], jsonpath: str, page: Page) -> list[Table]:
    refusal: ReadRefused | None = None
    found: list[Table] = []
    for _, data in blobs:
        try:
            found += tables_at(data, jsonpath, page.seen)
        except ReadRefused as error:
            refusal = refusal or error
    if not found and refusal:
        raise refusal
    return found
