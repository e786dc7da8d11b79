"""Leaderboards that are HTML tables."""

from __future__ import annotations

from selectolax.lexbor import LexborDocumentOptions, LexborHTMLParser, LexborNode, SelectolaxError

from auto_benchmark.registry.leaderboard import Leaderboard
from auto_benchmark.sources.html_depth import refuse_deep
from auto_benchmark.sources.html_grid import table_from
from auto_benchmark.sources.html_hidden import Hidden, hidden_in
from auto_benchmark.sources.html_text import cell_text
from auto_benchmark.sources.no_table import no_table
from auto_benchmark.sources.page import Page
from auto_benchmark.tables.refusal import ReadRefused, Reason
from auto_benchmark.tables.table import Table

_PARTS = "table,h1,h2,h3,h4,h5,h6"


def tables(page: Page, spec: Leaderboard) -> list[Table]:
    """Every table of the page in document order, or those that ``locate.css`` selects.

    Raises:
        ReadRefused: the page has no table, or none where the locator points.
    """
    where = spec.locate
    only = where.table if where and not where.css and not where.heading else None
    found: list[Table] = []
    if holds_table(page.text):
        tree = document(page.text)
        found = tables_of(tree, page.text, only=only, attributes=spec.columns.attributes)
        if spec.locate and spec.locate.css:
            found = _selected(tree, spec.locate.css, found, page.seen)
    missed = only is not None and 0 < len(found) < only  # the locator's fault, reported where the table is chosen
    if not missed and not any(t.rows or t.rejected for t in found):
        raise no_table(page, len(found), sum(t.blank for t in found))
    return found


def document(text: str) -> LexborHTMLParser:
    """The page as the tree that browsers build (HTML Standard, "Parsing HTML documents").

    Raises:
        ReadRefused: a tree whose building takes more time or memory than a page is worth.
    """
    refuse_deep(text)
    return LexborHTMLParser(text, options=LexborDocumentOptions.WO_EVENTS)


def parse(text: str, *, only: int | None = None) -> list[Table]:
    """All tables of an HTML text; empty ones too, so that numbering is that of the page.

    Args:
        text: HTML.
        only: number of the table that is wanted; those before it are left empty, those after it are missing.

    Raises:
        ReadRefused: see :func:`document`.
    """
    if not holds_table(text):
        return []
    return tables_of(document(text), text, only=only)


def holds_table(text: str) -> bool:
    """Whether an HTML text has a table at all."""
    return "<table" in text or "<table" in text.lower()


def tables_of(
    page: LexborHTMLParser, text: str, *, only: int | None = None, attributes: frozenset[str] = frozenset()
) -> list[Table]:
    """The tables of a page that was parsed before, with the attributes of cells that are asked for.

    Other arguments and errors as of :func:`parse`.
    """
    root = page.root
    if root is None:
        return []
    hidden = hidden_in(root, text)
    result: list[Table] = []
    headings: list[tuple[int, str]] = []
    for node in root.css(_PARTS):
        if node.tag != "table":
            level = int((node.tag or "h6")[1])
            headings = [h for h in headings if h[0] < level] + [(level, _one_line(node, hidden))]
            continue
        number = len(result) + 1
        names = tuple(h for _, h in headings)
        result.append(_table(node, number, names, hidden, attributes, empty=only not in {None, number}))
        if number == only:
            break
    return result


def _one_line(node: LexborNode, hidden: Hidden) -> str:
    return cell_text(node, hidden).replace("\n", " ")


def _table(
    node: LexborNode,
    number: int,
    headings: tuple[str, ...],
    hidden: Hidden,
    attributes: frozenset[str],
    *,
    empty: bool,
) -> Table:
    caption = next((_one_line(c, hidden) for c in node.iter() if c.tag == "caption"), "")
    where = caption or (headings[-1] if headings else "")
    label = f"table {number}" + (f" '{where}'" if where else "")
    table = Table([], [], label) if empty else table_from(node, label, hidden, attributes)
    table.headings = (*headings, caption) if caption else headings
    table.locate = {"table": number}
    return table


def _selected(page: LexborHTMLParser, css: str, found: list[Table], seen: str) -> list[Table]:
    """The tables that a CSS selector finds, or that lie in what it finds."""
    try:
        nodes = page.css(css)
    except SelectolaxError as error:
        raise ReadRefused(Reason.LOCATOR_MISSED, f"not a CSS selector: {css!r} ({error})") from None
    every = page.css("table")
    order = {node.mem_id: number for number, node in enumerate(every)}
    picked: set[int] = set()
    for node in nodes:
        inner = [node] if node.tag == "table" else node.css("table")
        picked |= {order[table.mem_id] for table in inner}
    if not picked:
        ids = [node.id for node in every if node.id]
        raise ReadRefused(
            Reason.LOCATOR_MISSED, f"{css!r} selects no table of {seen}: {len(found)} tables, ids {ids[:10]}"
        )
    return [found[i] for i in sorted(picked)]
