"""Leaderboards that announce themselves in a feed: one row per item, newest first.

A feed tells of events, so a system's newest item is its score. System and score usually stand in the title and are
cut out of it with ``columns: {system: {column: title, regex: …}, score: {column: title, regex: …}}``.
"""

from __future__ import annotations

import calendar
from typing import Any

from auto_benchmark.registry.leaderboard import Leaderboard
from auto_benchmark.sources.page import Page
from auto_benchmark.tables.markup import stripped
from auto_benchmark.tables.refusal import ReadRefused, Reason
from auto_benchmark.tables.table import Table

_NEVER = frozenset({"links", "guidislink", "content", "tags", "authors", "published_parsed", "updated_parsed"})


def tables(page: Page, spec: Leaderboard) -> list[Table]:
    """The feed's items as one table; elements of other namespaces become columns of their own.

    Raises:
        ReadRefused: no feed, or one without items.
    """
    import feedparser

    if page.is_html and "<rss" not in page.text[:2048] and "<feed" not in page.text[:2048]:
        raise ReadRefused(Reason.WRONG_FORMAT, f"a feed expected, got {page.seen}")
    parsed = feedparser.parse(page.content, response_headers={"content-type": page.content_type or "application/xml"})
    if not parsed.get("version"):
        raise ReadRefused(Reason.WRONG_FORMAT, f"{page.seen} is not an RSS or Atom feed")
    if parsed.get("bozo") and not _harmless(parsed.bozo_exception):
        raise ReadRefused(Reason.MALFORMED, f"{page.source} is a broken feed: {str(parsed.bozo_exception)[:120]}")
    if not parsed.entries:
        raise ReadRefused(Reason.NO_SCORED_ROWS, f"{page.source} is a feed without items")
    items = sorted(parsed.entries, key=_when, reverse=True)
    names = list(dict.fromkeys(key for item in items for key in item if key not in _NEVER and _is_text(item[key])))
    rows = [[stripped(str(item.get(name) or "")) for name in names] for item in items]
    note = "a feed lists events: systems whose items have left it are missing from this board"
    return [Table(names, rows, f"the {len(rows)} items of the feed", notes=[note])]


def _harmless(error: Exception) -> bool:
    """An encoding declared one way and sent another is not a fault of the content."""
    return type(error).__name__ in {"CharacterEncodingOverride", "NonXMLContentType"}


def _when(item: Any) -> float:
    """Time of an item; items without one keep the feed's order behind the dated ones."""
    stamp = item.get("published_parsed") or item.get("updated_parsed")
    return float(calendar.timegm(stamp)) if stamp else 0.0


def _is_text(value: Any) -> bool:
    return isinstance(value, str)
