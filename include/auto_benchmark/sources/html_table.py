"""Leaderboards that are HTML tables."""

from __future__ import annotations

from typing import Any

from lxml import etree

from auto_benchmark.registry.leaderboard import Leaderboard
from auto_benchmark.sources.html_grid import table_from
from auto_benchmark.sources.html_text import cell_text, prepare
from auto_benchmark.sources.no_table import no_table
from auto_benchmark.sources.page import Page
from auto_benchmark.tables.refusal import ReadRefused, Reason
from auto_benchmark.tables.table import Table

CHUNK = 16_384
"""Bytes that are parsed before the next look whether the wanted table is complete."""
_HEADINGS = frozenset({"h1", "h2", "h3", "h4", "h5", "h6"})


def tables(page: Page, spec: Leaderboard) -> list[Table]:
    """Every table of the page in document order, or those that ``locate.css`` selects.

    Raises:
        ReadRefused: the page has no table, or none where the locator points.
    """
    where = spec.locate
    only = where.table if where and not where.css and not where.heading else None
    found = parse(page.text, only=only)
    if spec.locate and spec.locate.css:
        found = _selected(page, spec.locate.css, found)
    missed = only is not None and 0 < len(found) < only  # the locator's fault, told by whoever chooses
    if not missed and not any(t.rows or t.rejected for t in found):
        raise no_table(page, len(found), sum(t.blank for t in found))
    return found


def parse(text: str, *, only: int | None = None) -> list[Table]:
    """All tables of an HTML text; empty ones too, so that numbering is that of the page.

    Args:
        text: HTML.
        only: number of the table that is wanted; those before it are left empty, those after it may be missing.
    """
    if "<table" not in text and "<table" not in text.lower():
        return []
    root = _tree(text, only)
    if root is None:
        return []
    if only is None:
        prepare(root)
    result: list[Table] = []
    headings: list[tuple[int, str]] = []
    for node in root.iter("table", *_HEADINGS):
        if node.tag != "table":
            level = int(node.tag[1])
            headings = [h for h in headings if h[0] < level] + [(level, cell_text(node).replace("\n", " "))]
            continue
        number = len(result) + 1
        if only == number:
            prepare(node)
        result.append(_table(node, number, tuple(h for _, h in headings), empty=only not in {None, number}))
    return result


def _table(node: Any, number: int, headings: tuple[str, ...], *, empty: bool) -> Table:
    caption = next((cell_text(c).replace("\n", " ") for c in node if c.tag == "caption"), "")
    where = caption or (headings[-1] if headings else "")
    label = f"table {number}" + (f" '{where}'" if where else "")
    table = Table([], [], label) if empty else table_from(node, label)
    table.headings = (*headings, caption) if caption else headings
    table.locate = {"table": number}
    return table


def _tree(text: str, only: int | None) -> Any:
    """The page as a tree, only as far as the end of the wanted table; None where there is nothing."""
    content = text.encode("utf-8", errors="replace")
    try:
        if only is None:
            parser = etree.HTMLParser(encoding="utf-8", remove_comments=True, remove_pis=True)
            return etree.fromstring(content, parser)
        return _until_table(content, only)
    except etree.XMLSyntaxError:
        return None


def _until_table(content: bytes, only: int) -> Any:
    parser = etree.HTMLPullParser(
        ("start", "end"), tag="table", encoding="utf-8", remove_comments=True, remove_pis=True
    )
    begun, wanted = 0, None
    for start in range(0, len(content), CHUNK):
        parser.feed(content[start : start + CHUNK])
        for event, node in parser.read_events():
            if event == "start":
                begun += 1
                wanted = node if begun == only else wanted
            elif node is wanted:
                return parser.close()
    return parser.close()


def _selected(page: Page, css: str, found: list[Table]) -> list[Table]:
    """The tables that a CSS selector finds, or that lie in what it finds."""
    from bs4 import BeautifulSoup
    from soupsieve import SelectorSyntaxError

    soup = BeautifulSoup(page.text, "lxml")
    try:
        nodes = soup.select(css)
    except SelectorSyntaxError as error:
        raise ReadRefused(
            Reason.LOCATOR_MISSED, f"not a CSS selector: {css!r} ({str(error).splitlines()[0]})"
        ) from None
    order = {id(node): number for number, node in enumerate(soup.find_all("table"))}
    picked: dict[int, None] = {}
    for node in nodes:
        inner = [node] if node.name == "table" else node.find_all("table")
        picked |= {order[id(t)]: None for t in inner if id(t) in order}
    if not picked:
        ids = [str(t.get("id")) for t in soup.find_all("table") if t.get("id")]
        raise ReadRefused(
            Reason.LOCATOR_MISSED, f"{css!r} selects no table of {page.seen}: {len(found)} tables, ids {ids[:10]}"
        )
    return [found[i] for i in sorted(picked) if i < len(found)]
