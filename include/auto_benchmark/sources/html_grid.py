"""An HTML table laid over its grid as browsers do: spans end with their row group, hidden cells take no place."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from lxml import etree

from auto_benchmark.sources.html_text import cell_text
from auto_benchmark.tables.markup import without_scripts
from auto_benchmark.tables.score_cell import SIMPLE, read_score_cell
from auto_benchmark.tables.table import LEVEL, Table

WIDEST = 1000
"""Columns of a grid; HTML caps a colspan at 1000."""
_Spanning = tuple[str, bool, int]
"""Text, whether it is a header, origin."""
_SPANS = etree.XPath("boolean(.//@rowspan | .//@colspan)")
_CELLS = frozenset({"td", "th"})


@dataclass(slots=True)
class GridRow:
    """One row of the grid, a value per column in each list.

    Attributes:
        texts: what the cells say.
        headers: whether they are ``<th>``.
        origins: equal in every place that one spanning cell covers.
    """

    texts: list[str]
    headers: list[bool]
    origins: Sequence[int]


def table_from(node: Any, label: str) -> Table:
    """A ``<table>`` element as a table: header levels joined, ragged rows rejected.

    Args:
        node: lxml element.
        label: how a person finds it.
    """
    head, body, notes = _grid(node)
    if not head:
        head, body = _header_of(body)
    width = max((len(row.texts) for row in (head or body)), default=0)
    columns = _names(head, width) if head else [f"column {i + 1}" for i in range(width)]
    table = Table(columns, [], label, notes=notes)
    for number, row in enumerate(body, start=1):
        _lay(table, row, number)
    return table


def _lay(table: Table, row: GridRow, number: int) -> None:
    """Put one body row under the columns; reject it when its cells do not match them."""
    texts = row.texts
    width = len(table.columns)
    if not any(texts):
        table.blank += bool(texts)
        return
    if row.origins[0] == row.origins[-1] and _section(row):
        return
    while len(texts) > width and not texts[-1]:
        texts.pop()
    if len(texts) != width:
        few = "too few cells" if len(texts) < width else "too many cells"
        table.rejected.append(f"row {number} ({texts[0][:40]}): {few}, {len(texts)} for {width} columns")
        return
    table.rows.append(texts)


def _grid(node: Any) -> tuple[list[GridRow], list[GridRow], list[str]]:
    """Header rows, body rows, and what a person should know."""
    head: list[GridRow] = []
    body: list[GridRow] = []
    loose: list[Any] = []

    spans = bool(_SPANS(node))

    def flush() -> None:
        body.extend(_expand(loose, spans))
        loose.clear()

    for child in node:
        if child.tag == "tr":
            loose.append(child)
        elif child.tag in {"thead", "tbody", "tfoot"}:
            flush()
            rows = list(child.iterchildren("tr"))
            (head if child.tag == "thead" and not head and not body else body).extend(_expand(rows, spans))
    flush()
    first = 0
    while first < len(body) and _all_headers(body[first]):
        first += 1
    if first == len(body):
        first = min(first, 1 if not head else 0)
    extra = next((i for i, row in enumerate(head) if _holds_numbers(row)), len(head))
    body = head[extra:] + body if extra < len(head) else body
    head = head[:extra]
    if not head:
        head, body = body[:first], body[first:]
    head = [row for i, row in enumerate(head) if not _section(row) or all(map(_section, head[:i]))]
    left_out = node.get("hidden-rows")
    notes = [f"{left_out} hidden rows left out"] if left_out else []
    return [row for row in head if any(row.texts)], body, notes


def _section(row: GridRow) -> bool:
    """One cell over all columns. Above the column names it is a title, below them the name of a group of rows."""
    return len(row.texts) > 1 and len(set(row.origins)) == 1


def _all_headers(row: GridRow) -> bool:
    return any(row.headers) and all(header or not text for text, header in zip(row.texts, row.headers, strict=True))


def _holds_numbers(row: GridRow) -> bool:
    """A row of data in a ``<thead>``: a plain cell holds a number."""
    return any(not header and _numeric(text) for text, header in zip(row.texts, row.headers, strict=True))


def _header_of(body: list[GridRow]) -> tuple[list[GridRow], list[GridRow]]:
    """A first row of plain cells is the header where it holds distinct texts and later rows hold numbers."""
    if len(body) < 2:
        return [], body
    first = [text for text in body[0].texts if text]
    texts = len(first) == len(set(first)) and len(first) >= 2 and not any(_numeric(t) for t in first)
    numbers = any(_numeric(text) for row in body[1:] for text in row.texts)
    return ([body[0]], body[1:]) if texts and numbers else ([], body)


def _numeric(text: str) -> bool:
    if SIMPLE.fullmatch(text):
        return True
    cell = read_score_cell(text)
    return bool(cell.parts) and not cell.problem


def _expand(rows: list[Any], spans: bool) -> list[GridRow]:
    """Rows of one group with every span written out, if the table has any. A rowspan never leaves its group."""
    grid: list[GridRow] = []
    open_spans: dict[int, tuple[int, _Spanning]] = {}
    for number, row in enumerate(rows):
        cells = list(row)
        tags = [cell.tag for cell in cells]
        if not _CELLS.issuperset(tags):
            cells = [cell for cell, tag in zip(cells, tags, strict=True) if tag in _CELLS]
            tags = [cell.tag for cell in cells]
        below = len(rows) - number
        if open_spans or (spans and _SPANS(row)):
            grid.append(_spanned(cells, open_spans, below))
        else:
            origins = range(below * WIDEST, below * WIDEST + len(cells))
            grid.append(GridRow([cell_text(cell) for cell in cells], [tag == "th" for tag in tags], origins))
    return grid


def _spanned(cells: list[Any], open_spans: dict[int, tuple[int, _Spanning]], below: int) -> GridRow:
    """One row in a group with spans.

    Args:
        cells: its own cells.
        open_spans: per column, rows that a cell from above still covers, and that cell; updated.
        below: rows of the group from this one on.
    """
    line: dict[int, _Spanning] = {}
    for column, (left, cell) in list(open_spans.items()):
        line[column] = cell
        open_spans[column] = (left - 1, cell)
        if left <= 1:
            del open_spans[column]
    column = 0
    for node in cells:
        while column in line:
            column += 1
        cell = (cell_text(node), node.tag == "th", below * WIDEST + column)
        down = _span(node.get("rowspan"), below, zero=below)
        for _ in range(_span(node.get("colspan"), WIDEST, zero=1)):
            if column >= WIDEST:
                break
            line[column] = cell
            if down > 1:
                open_spans[column] = (down - 1, cell)
            column += 1
    full = [line.get(i) or ("", False, -i - 1) for i in range(max(line, default=-1) + 1)]
    return GridRow([c[0] for c in full], [c[1] for c in full], [c[2] for c in full])


def _span(value: str | None, most: int, *, zero: int) -> int:
    """A span attribute as browsers read it: leading digits, 1 when absent or malformed."""
    found = re.match(r"\s*(\d{1,5})", value or "")
    if not found:
        return 1
    return min(int(found.group(1)) or zero, most)


def _names(head: list[GridRow], width: int) -> list[str]:
    """One name per column: the distinct texts of its header cells from top to bottom."""
    names = []
    for i in range(width):
        levels: dict[int, str] = {}
        for row in head:
            if i < len(row.texts) and row.texts[i]:
                levels[row.origins[i]] = without_scripts(" ".join(row.texts[i].split()))
        names.append(LEVEL.join(dict.fromkeys(levels.values())))
    return names
