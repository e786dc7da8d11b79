"""Find out how a document is to be read, from its content; its name and type only break ties."""

from __future__ import annotations

import re

from auto_benchmark.leaderboards.refusal import ReadRefused, Reason
from auto_benchmark.leaderboards.select import choose
from auto_benchmark.leaderboards.table import Table
from auto_benchmark.registry.leaderboard import Leaderboard, ScrapeMethod
from auto_benchmark.sources.page import Page

_DELIMITER_ROW = re.compile(r"(?m)^[ \t]*\|?[ \t]*:?-+:?[ \t]*(?:\|[ \t]*:?-*:?[ \t]*)+$")
_SUFFIXES = {
    ScrapeMethod.API: {"json", "js", "jsonl"},
    ScrapeMethod.CSV: {"csv"},
    ScrapeMethod.TSV: {"tsv"},
    ScrapeMethod.MARKDOWN: {"md", "markdown"},
    ScrapeMethod.YAML: {"yml", "yaml"},
    ScrapeMethod.HTML_TABLE: {"html", "htm"},
    ScrapeMethod.RSS: {"rss", "atom"},
}


def detect(page: Page, spec: Leaderboard) -> tuple[ScrapeMethod, list[Table]]:
    """The first way of reading, from the likeliest on, under which the document holds the wanted metric.

    Raises:
        ReadRefused: under no way. The likeliest way's refusal is told, since it says most.
    """
    from auto_benchmark.sources.read import table_reader

    refusals: list[ReadRefused] = []
    for method in candidates(page):
        try:
            tables = table_reader(method)(page, spec)
            choose(tables, spec, seen=page.seen)
        except ReadRefused as error:
            refusals.append(error)
            if error.reason_code in {Reason.AMBIGUOUS_TABLE, Reason.AMBIGUOUS_COLUMN}:
                raise
            continue
        return method, tables
    raise refusals[0]


def candidates(page: Page) -> list[ScrapeMethod]:
    """Ways of reading, likeliest first."""
    head = page.text[:4096].lstrip()
    likely: list[ScrapeMethod] = []
    if re.match(r"(?s)<(\?xml[^>]*>\s*)?(<!--.*?-->\s*)?<?(rss|feed|rdf:RDF)\b", head):
        likely.append(ScrapeMethod.RSS)
    elif page.is_html:
        likely += [ScrapeMethod.HTML_TABLE, ScrapeMethod.API]
    elif head[:1] in {"{", "["} and not head.startswith(("{%", "[!", "[![")):
        likely.append(ScrapeMethod.API)
    suffix = re.search(r"\.(\w+)(?:[?#].*)?$", page.source)
    ending = suffix.group(1).lower() if suffix else ""
    named = next((method for method, endings in _SUFFIXES.items() if ending in endings), None)
    if named and not page.is_html:
        likely.append(named)
    if _DELIMITER_ROW.search(page.text):
        likely.append(ScrapeMethod.MARKDOWN)
    if not page.is_html:
        rest = [ScrapeMethod.CSV, ScrapeMethod.YAML, ScrapeMethod.API, ScrapeMethod.MARKDOWN]
        if re.search(r"(?m)^\s*- \w|^\w[\w .+-]*:\s", page.text[:4096]):
            rest = [ScrapeMethod.YAML, ScrapeMethod.CSV, ScrapeMethod.API, ScrapeMethod.MARKDOWN]
        likely += rest
    return list(dict.fromkeys(likely))
