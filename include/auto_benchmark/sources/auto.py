"""Find out how a document is to be read, from its content; its name and type only break ties."""

from __future__ import annotations

import re
from collections.abc import Iterator

from auto_benchmark.registry.leaderboard import Leaderboard, ScrapeMethod
from auto_benchmark.sources.manual import is_hand_kept
from auto_benchmark.sources.page import Page
from auto_benchmark.tables.board import choose
from auto_benchmark.tables.refusal import ReadRefused, Reason
from auto_benchmark.tables.table import Table

_DELIMITER_ROW = re.compile(r"(?m)^[ \t>]*+\|?[ \t]*+:?-+:?[ \t]*+(?:\|[ \t]*+:?-*+:?[ \t]*+)+$")
_SUFFIXES = {
    ScrapeMethod.API: {"json", "js", "jsonl"},
    ScrapeMethod.CSV: {"csv"},
    ScrapeMethod.TSV: {"tsv"},
    ScrapeMethod.MARKDOWN: {"md", "markdown"},
    ScrapeMethod.YAML: {"yml", "yaml"},
    ScrapeMethod.HTML_TABLE: {"html", "htm"},
    ScrapeMethod.RSS: {"rss", "atom"},
}


def detect(page: Page, spec: Leaderboard) -> tuple[ScrapeMethod, Table]:
    """The first way of reading, likeliest first, under which the document holds the wanted metric; and its table.

    Raises:
        ReadRefused: under no way. The refusal of the likeliest format is reported, since it says most.
    """
    from auto_benchmark.sources.read import table_reader

    refusals: list[ReadRefused] = []
    for method in candidates(page):
        try:
            table = choose(table_reader(method)(page, spec), spec, seen=page.seen)
        except ReadRefused as error:
            refusals.append(error)
            if error.reason_code in {Reason.AMBIGUOUS_TABLE, Reason.AMBIGUOUS_COLUMN}:
                raise
            continue
        return method, table
    raise refusals[0]


def candidates(page: Page) -> Iterator[ScrapeMethod]:
    """Ways of reading, likeliest first, each once; the text is searched only as far as the reader gets."""
    tried: set[ScrapeMethod] = set()
    for method in _likely(page):
        if method not in tried:
            tried.add(method)
            yield method


def _likely(page: Page) -> Iterator[ScrapeMethod]:
    head = page.text[:4096].lstrip()
    if re.match(r"(?s)<(\?xml[^>]*>\s*)?(<!--.*?-->\s*)?<?(rss|feed|rdf:RDF)\b", head):
        yield ScrapeMethod.RSS
    if page.is_html:
        yield from (ScrapeMethod.HTML_TABLE, ScrapeMethod.API)
    elif head[:1] in {"{", "["} and not head.startswith(("{%", "[!", "[![")):
        yield ScrapeMethod.API
    suffix = re.search(r"\.(\w+)(?:[?#].*)?$", page.source)
    ending = suffix.group(1).lower() if suffix else ""
    named = next((method for method, endings in _SUFFIXES.items() if ending in endings), None)
    if named and not page.is_html:
        yield named
    if _DELIMITER_ROW.search(page.text):
        yield ScrapeMethod.MARKDOWN
    if page.is_html:
        return
    if is_hand_kept(page):
        yield ScrapeMethod.MANUAL
    if re.search(r"(?m)^\s*- [\w{]|^\w[\w .+-]*:\s", head):
        yield from (ScrapeMethod.YAML, ScrapeMethod.CSV)
    yield from (ScrapeMethod.CSV, ScrapeMethod.YAML, ScrapeMethod.API, ScrapeMethod.MARKDOWN)
