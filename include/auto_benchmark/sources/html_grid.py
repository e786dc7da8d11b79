"""An HTML table laid over its grid as browsers do: spans end with their row group, hidden cells take no place."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from selectolax.lexbor import LexborNode

from auto_benchmark.sources.html_hidden import NOTHING, Hidden
from auto_benchmark.sources.html_text import cell_text
from auto_benchmark.tables.markup import without_scripts
from auto_benchmark.tables.refusal import ReadRefused, Reason
from auto_benchmark.tables.score_cell import SIMPLE, read_score_cell
from auto_benchmark.tables.table import LEVEL, Attributed, Table

WIDEST = 1000
"""Columns of a grid; HTML caps a colspan at 1000."""
MOST_PLACES = 2_000_000
"""Places of the rows that spans reach into; a real table has some thousands."""
_Spanning = tuple[str, bool, int]
"""Text, whether it is a header, origin."""
_SPANNING = "[rowspan],[colspan]"
_CELLS = frozenset({"td", "th"})
_GROUPS = frozenset({"thead", "tbody", "tfoot"})


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


def table_from(
    node: LexborNode, label: str, hidden: Hidden = NOTHING, attributes: frozenset[str] = frozenset()
) -> Table:
    """A ``<table>`` element as a table: header levels joined, ragged rows rejected.

    Args:
        node: the element.
        label: how a person finds it.
        hidden: what of the page is not displayed.
        attributes: those of cells that are read.

    Raises:
        ReadRefused: spans blow a small table up.
    """
    head, body, notes = _grid(node, hidden, attributes)
    if not head:
        head, body = _header_of(body)
    width = max((len(row.texts) for row in (head or body)), default=0)
    columns = _names(head, width) if head else [f"column {i + 1}" for i in range(width)]
    table = Table(columns, [], label, notes=notes)
    for number, row in enumerate(body, start=1):
        _lay(table, row, number)
    return table


def row_groups(node: LexborNode) -> list[tuple[str, list[LexborNode]]]:
    """The rows of a table in the order of a browser's ``table.rows``: heads, bodies and loose rows, feet.

    Returns:
        (tag of the group, rows) of each; loose rows that follow each other are a group called ``tbody``.
    """
    heads: list[tuple[str, list[LexborNode]]] = []
    bodies: list[tuple[str, list[LexborNode]]] = []
    feet: list[tuple[str, list[LexborNode]]] = []
    loose: list[LexborNode] | None = None
    for child in node.iter():
        tag = child.tag
        if tag == "tr":
            if loose is None:
                loose = []
                bodies.append(("tbody", loose))
            loose.append(child)
            continue
        loose = None
        if tag in _GROUPS:
            group = heads if tag == "thead" else feet if tag == "tfoot" else bodies
            group.append((tag, [row for row in child.iter() if row.tag == "tr"]))
    return heads + bodies + feet


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


def _grid(
    node: LexborNode, hidden: Hidden, attributes: frozenset[str]
) -> tuple[list[GridRow], list[GridRow], list[str]]:
    """Header rows, body rows, and what a person should know."""
    head: list[GridRow] = []
    body: list[GridRow] = []
    lay = _Layer(hidden, frozenset(cell.mem_id for cell in node.css(_SPANNING)), attributes)
    left_out = 0
    for tag, rows in row_groups(node):
        shown = [row for row in rows if row.mem_id not in hidden.unseen] if hidden.unseen else rows
        left_out += len(rows) - len(shown)
        if rows and hidden.unseen and (group := rows[0].parent) and group.mem_id in hidden.unseen:
            continue
        (head if tag == "thead" and not head and not body else body).extend(lay.group(shown))
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
    """First rows of plain cells are the header where they hold distinct texts and later rows hold numbers.

    Cells that span columns make the next row of words a level of it, and cells that span rows all rows they reach.
    """
    depth = 1
    while depth < len(body) - 1 and _goes_on(body[depth - 1], body[depth]):
        depth += 1
    if len(body) <= depth:
        return [], body
    first = [text for text in dict(zip(body[0].origins, body[0].texts, strict=True)).values() if text]
    words = len(first) == len(set(first)) and not any(_numeric(t) for row in body[:depth] for t in row.texts)
    numbers = any(_numeric(text) for row in body[depth:] for text in row.texts)
    return (body[:depth], body[depth:]) if words and len(first) >= 2 and numbers else ([], body)


def _goes_on(row: GridRow, below: GridRow) -> bool:
    """The row below belongs to the header that this row of it begins or goes on with."""
    if set(row.origins) & set(below.origins):
        return True
    return 1 < len(set(row.origins)) < len(row.origins) and not any(map(_numeric, below.texts))


def _numeric(text: str) -> bool:
    if SIMPLE.fullmatch(text):
        return True
    cell = read_score_cell(text)
    return bool(cell.parts) and not cell.problem


class _Layer:
    """Lays the rows of one table over its grid."""

    def __init__(self, hidden: Hidden, spanning: frozenset[int], attributes: frozenset[str]) -> None:
        """``spanning``: cells with a ``rowspan`` or ``colspan``; ``attributes``: names of those that are read."""
        self.hidden = hidden
        self.attributes = attributes
        self.spanning = spanning
        self.places = 0

    def group(self, rows: list[LexborNode]) -> list[GridRow]:
        """Rows of one group with every span written out, if it has any. A rowspan never leaves its group."""
        grid: list[GridRow] = []
        open_spans: dict[int, tuple[int, _Spanning]] = {}
        for number, row in enumerate(rows):
            cells = [(cell, tag) for cell in row.iter() if (tag := cell.tag) in _CELLS]
            if self.hidden.unseen:
                cells = [(cell, tag) for cell, tag in cells if cell.mem_id not in self.hidden.unseen]
            below = len(rows) - number
            if open_spans or (self.spanning and any(cell.mem_id in self.spanning for cell, _ in cells)):
                grid.append(self._spanned(cells, open_spans, below))
            else:
                origins = range(below * WIDEST, below * WIDEST + len(cells))
                texts = [self._text(cell) for cell, _ in cells]
                grid.append(GridRow(texts, [tag == "th" for _, tag in cells], origins))
        return grid

    def _text(self, cell: LexborNode) -> str:
        text = cell_text(cell, self.hidden)
        return _attributed(cell, text, self.attributes) if self.attributes else text

    def _spanned(
        self, cells: list[tuple[LexborNode, str]], open_spans: dict[int, tuple[int, _Spanning]], below: int
    ) -> GridRow:
        """One row in a group with spans.

        Args:
            cells: its own cells and their tags.
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
        for node, tag in cells:
            while column in line:
                column += 1
            cell = (self._text(node), tag == "th", below * WIDEST + column)
            attributes = node.attributes
            down = _span(attributes.get("rowspan"), below, zero=below)
            for _ in range(_span(attributes.get("colspan"), WIDEST, zero=1)):
                if column >= WIDEST:
                    break
                line[column] = cell
                if down > 1:
                    open_spans[column] = (down - 1, cell)
                column += 1
        full = [line.get(i) or ("", False, -i - 1) for i in range(max(line, default=-1) + 1)]
        self.places += len(full)
        if self.places > MOST_PLACES:
            raise ReadRefused(Reason.TOO_LARGE, f"a table's spans cover more than {MOST_PLACES} places")
        return GridRow([c[0] for c in full], [c[1] for c in full], [c[2] for c in full])


def _attributed(cell: LexborNode, text: str, names: frozenset[str]) -> str:
    """The text with those attributes that the cell has, or the first element in it that has one."""
    found: dict[str, str] = {}
    for name in names:
        holder = cell if name in cell.attributes else cell.css_first(f"[{name}]")
        if holder is not None:
            found[name] = holder.attributes.get(name) or ""
    return Attributed(text, found) if found else text


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
