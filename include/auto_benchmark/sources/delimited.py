"""Delimited text: the delimiter is found, quoting is strict, ragged rows are rejected, no value is interpreted."""

from __future__ import annotations

import csv
import io

from auto_benchmark.leaderboards.refusal import ReadRefused, Reason
from auto_benchmark.leaderboards.table import Table
from auto_benchmark.sources.page import Page

_DELIMITERS = ",\t;|"
_LARGEST_FIELD = 2**20


def delimited_table(page: Page, delimiter: str | None = None) -> Table:
    """The page as one table.

    Args:
        page: the document.
        delimiter: given, or None to find it.

    Raises:
        ReadRefused: an HTML page instead, no rows, or broken quoting (a truncated file).
    """
    if page.is_html:
        raise ReadRefused(Reason.WRONG_FORMAT, f"delimited text expected, got {page.seen}")
    text = page.text.replace("\r\n", "\n").replace("\r", "\n")
    first, _, rest = text.partition("\n")
    if first.lower().startswith("sep=") and len(first) == 5:
        delimiter, text = first[4], rest
    rows = _rows(text, delimiter or _sniff(text), page)
    if not rows:
        raise ReadRefused(Reason.NO_SCORED_ROWS, f"{page.source} holds no rows")
    header, body = rows[0], rows[1:]
    if body and all(len(row) == len(header) + 1 for row in body):
        header = ["", *header]  # an index column without a header, as R's write.table leaves it
    table = Table([" ".join(h.split()) for h in header], [])
    for number, row in enumerate(body, start=2):
        while len(row) > len(header) and not row[-1].strip():
            row.pop()
        if len(row) == len(header):
            table.rows.append([cell.strip() for cell in row])
        else:
            table.rejected.append(f"line {number}: {len(row)} cells for {len(header)} columns")
    return table


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
