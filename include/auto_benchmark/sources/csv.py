"""Delimited text: the delimiter is found, quoting is strict, ragged rows are rejected, no value is interpreted."""

from __future__ import annotations

import csv
import io
from collections import Counter
from itertools import pairwise

from auto_benchmark.registry.leaderboard import Leaderboard
from auto_benchmark.sources.page import Page
from auto_benchmark.tables.columns import column_name, find, score_names
from auto_benchmark.tables.markup import stripped, trimmed
from auto_benchmark.tables.refusal import ReadRefused, Reason
from auto_benchmark.tables.score_cell import read_score_cell
from auto_benchmark.tables.table import Table

_DELIMITERS = ",\t;|"
_LARGEST_FIELD = 2**20


def tables(page: Page, spec: Leaderboard) -> list[Table]:
    """The file as its one table. Raises ReadRefused as :func:`delimited_table` does."""
    return [delimited_table(page, spec)]


def delimited_table(page: Page, spec: Leaderboard, delimiter: str | None = None) -> Table:
    """The page as one table.

    Args:
        page: the document.
        spec: the board; says whether rows begin with names that have no header.
        delimiter: given, or None to find it.

    Raises:
        ReadRefused: an HTML page instead, no rows, broken quoting (a truncated file), or one cell too many in every
            row for an unknown reason.
    """
    if page.is_html:
        raise ReadRefused(Reason.WRONG_FORMAT, f"delimited text expected, got {page.seen}")
    text = page.text.replace("\r\n", "\n").replace("\r", "\n")
    first, _, rest = text.partition("\n")
    if first.lower().startswith("sep=") and len(first) == 5:
        delimiter, text = first[4], rest
    delimiter = delimiter or _sniff(text)
    rows = _rows(text, delimiter, page)
    if not rows:
        raise ReadRefused(Reason.NO_SCORED_ROWS, f"{page.source} holds no rows")
    if len(rows) > 2:
        usual = Counter(map(len, rows)).most_common(1)[0][0]
        if usual > 1:
            del rows[: next(i for i, row in enumerate(rows) if len(row) > 1)]  # a title above the table
    header, body = rows[0], rows[1:]
    if body and all(len(row) == len(header) + 1 for row in body):
        if _decimal_commas(body, delimiter) and not _row_names(header, body, spec):
            raise ReadRefused(Reason.TOO_MANY_REJECTED, _one_too_many(header, body, page))
        header = ["", *header]  # an index column without a header, as R's write.table leaves it
    table = Table([" ".join(h.split()) for h in header], [])
    width = len(header)
    texts = _text_columns([row for row in body if len(row) == width], width)
    for number, row in enumerate(body, start=2):
        while len(row) > width and not row[-1].strip():
            row.pop()
        if len(row) < width and row is not body[-1] and _fits(row, texts):
            table.add_filled([_cell(cell) for cell in row])
        elif len(row) == width:
            table.rows.append([_cell(cell) for cell in row])
        else:
            table.rejected.append(f"line {number}: {len(row)} cells for {width} columns")
    return table


def _decimal_commas(rows: list[list[str]], delimiter: str) -> bool:
    """Every row may have one cell too many because an unquoted ``90,5`` was cut in two."""
    counted = [row[0].strip() for row in rows]
    if delimiter != "," or any(counted == [str(i + first) for i in range(len(rows))] for first in (0, 1)):
        return False
    pairs = (pairwise(row) for row in rows)
    return all(any(a.strip().lstrip("-").isdigit() and b.strip().isdigit() for a, b in pair) for pair in pairs)


def _row_names(header: list[str], rows: list[list[str]], spec: Leaderboard) -> bool:
    """The spec says that rows begin with names, or the wanted metric would stand above texts if they did not."""
    if spec.columns.system == "" or spec.decimal == ".":
        return True
    found = (find(Table(header, []), column_name(column)) for column in score_names(spec))
    metric = next((index for index in found if index is not None), None)
    return spec.derive is None and metric == 0 and all(_is_text(row[0]) for row in rows)


def _one_too_many(header: list[str], rows: list[list[str]], page: Page) -> str:
    return (
        f"{page.source}: every row has {len(rows[0])} cells for {len(header)} columns. If rows begin with a name that has "
        'no header, add to the spec: columns: {system: ""}. If decimal commas were cut in two ("90,5" without its quotes), '
        "the document needs quotes or another delimiter"
    )


def _cell(text: str) -> str:
    """Tags and links are taken off, as people export them from pages."""
    return stripped(text) if "</" in text or "/>" in text or "](" in text else trimmed(text)


def _text_columns(rows: list[list[str]], width: int) -> list[bool | None]:
    """Per column: True for texts, False for numbers, None when it is mixed."""
    kinds: list[bool | None] = []
    for i in range(width):
        seen = {is_text for row in rows if (is_text := _is_text(row[i])) is not None}
        kinds.append(seen.pop() if len(seen) == 1 else None)
    return kinds


def _fits(row: list[str], texts: list[bool | None]) -> bool:
    """A row that lost its last cells still has texts under texts and numbers under numbers, on both sides."""
    kinds = [(_is_text(cell), kind) for cell, kind in zip(row, texts, strict=False)]
    known = {kind for is_text, kind in kinds if is_text is not None and kind is not None}
    return len(known) == 2 and all(is_text in (None, kind) for is_text, kind in kinds if kind is not None)


def _is_text(cell: str) -> bool | None:
    found = read_score_cell(cell)
    return True if found.is_text else None if found.missing else False


def _rows(text: str, delimiter: str, page: Page) -> list[list[str]]:
    csv.field_size_limit(_LARGEST_FIELD)
    try:
        reader = csv.reader(io.StringIO(text), delimiter=delimiter, strict=True, skipinitialspace=True)
        return [row for row in reader if any(cell.strip() for cell in row)]
    except csv.Error as error:
        raise ReadRefused(Reason.MALFORMED, f"{page.source} is not well-formed delimited text: {error}") from None


def _sniff(text: str) -> str:
    """The delimiter that cuts most lines into the same number (> 1) of cells."""
    lines = [line for line in text.split("\n", 60)[:60] if line.strip()][:50]
    best, most = ",", (0.0, 0)
    for delimiter in _DELIMITERS:
        try:
            widths = [len(row) for row in csv.reader(lines, delimiter=delimiter)]
        except csv.Error:
            continue
        width = widths[0] if widths else 1
        mark = (sum(1 for w in widths if w == width) / max(1, len(widths)), width)
        if width > 1 and mark > most:
            best, most = delimiter, mark
    return best
