"""arXiv through the ``arxiv`` package, which builds the requests and reads the entries; waiting and paging are ours.

The interface sometimes answers a valid page without entries in the middle of a result. Such a page is asked again; if
it stays empty, what was read is kept and the next run goes on at the same place.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING

from auto_benchmark.research.paper import Paper
from auto_benchmark.research.text import storable
from auto_benchmark.sources.papers.source import Batch, Mark, SourceFailed, SourceFault
from auto_benchmark.sources.papers.web import Web

if TYPE_CHECKING:
    from arxiv import Result

BASE_URL = "https://export.arxiv.org"
EMPTY_PAGE_TRIES = 3
OVERLAP = timedelta(days=30)
"""A paper is submitted days, or in moderation weeks, before it is announced: each run looks back this far again."""
_IDENTIFIER = re.compile(r"(?:abs/)?(?P<id>[a-z-]+(?:\.[A-Z]{2})?/\d{7}|\d{4}\.\d{4,5})(?:v(?P<version>\d+))?$")
_WITHDRAWN = re.compile(
    r"^(?:this )?(?:paper|article|manuscript|submission|work)?\s*(?:has been|is|was)? ?withdrawn\b", re.IGNORECASE
)
_YEAR = re.compile(r"^(?:19|20)\d{2}$")


@dataclass(frozen=True, slots=True)
class ArxivQuery:
    """One query. Words are joined with AND; a query with a field (``cat:cs.CL AND abs:memory``) is used as it is.

    Attributes:
        web: does the calls.
        query: what is searched.
        base_url: of the interface.
        page_size: entries a page.
        limit: entries a run; more are read by later runs.
    """

    web: Web
    query: str
    base_url: str = BASE_URL
    page_size: int = 100
    limit: int = 500

    @property
    def key(self) -> str:
        """Identity for the mark."""
        return f"arxiv:{self.query}"

    def fetch(self, mark: Mark) -> Batch:
        """Papers that are new since the mark, oldest first; a new version of a recent one is new too.

        Raises:
            SourceFailed: the first page cannot be read.
        """
        since = str(mark.get("since") or "")
        begin = start = int(mark.get("next_start") or 0)
        run = _Run(self, since, str(mark.get("newest") or ""), dict(mark.get("seen") or {}))
        while start - begin < self.limit:
            try:
                page = run.page(start)
            except SourceFailed as failed:
                if start == begin:
                    raise
                run.notes.append(str(failed))
                return run.broken_off(start)
            if page is None:
                return run.broken_off(start)
            start += page
            if start >= run.total:
                return run.complete()
        return run.broken_off(start)


@dataclass(slots=True)
class _Run:
    """One pass over the pages of one query."""

    source: ArxivQuery
    since: str
    before: str
    seen: dict[str, list[str]]
    total: int = 0
    papers: list[Paper] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)

    def page(self, start: int) -> int | None:
        """Read the page at ``start``; how many entries it used up, None when it stays empty without reason."""
        for attempt in range(EMPTY_PAGE_TRIES):
            read, entries = self._ask(start)
            self.papers.extend(self._unseen(read))
            if entries or start >= self.total:
                return entries or 1
            self.source.web.pace.sleep(2.0 ** (attempt + 1))
        self.notes.append(f"page at {start} of {self.total} stays empty; the next run goes on there")
        return None

    def _ask(self, start: int) -> tuple[list[Paper], int]:
        from arxiv import _feed

        url = page_url(self.source, self.since, start)
        answer = self.source.web.get(url)
        if answer.status != 200:
            raise SourceFailed(SourceFault.UNREACHABLE, f"{url} answers {answer.status}")
        feed = _feed.parse(answer.content)
        if (feed.malformed and not feed.results) or b"<feed" not in answer.content[:2000]:
            raise SourceFailed(SourceFault.MALFORMED, f"{url} is not an Atom feed")
        if b"/api/errors" in answer.content:
            raise SourceFailed(SourceFault.MALFORMED, f"{url}: {_error_text(answer.content)}")
        self.total = feed.header.total_results
        entries = answer.content.count(b"<entry>") or len(feed.results)
        papers = list(_papers(feed.results))
        if entries > len(papers):
            self.notes.append(f"{entries - len(papers)} of {entries} entries at {start} are incomplete and left out")
        return papers, entries

    def complete(self) -> Batch:
        newest = self._newest() or self.since
        edge = datetime.fromisoformat(newest) - OVERLAP if newest else None
        seen = {name: told for name, told in self.seen.items() if edge and datetime.fromisoformat(told[0]) >= edge}
        mark = {"since": newest, "next_start": 0, "seen": seen}
        return Batch(tuple(self.papers), mark, notes=tuple(self.notes))

    def _unseen(self, read: Sequence[Paper]) -> list[Paper]:
        """Those that no earlier run or page brought, in this version."""
        new = []
        for paper in read:
            told = self.seen.get(paper.id)
            if told is not None and int(told[1]) >= paper.version:
                continue
            self.seen[paper.id] = [(paper.published or datetime.now(UTC)).isoformat(), str(paper.version)]
            new.append(paper)
        return new

    def _newest(self) -> str:
        return _latest(self.before, *(p.published.isoformat() for p in self.papers if p.published))

    def broken_off(self, start: int) -> Batch:
        mark = {"since": self.since, "next_start": start, "newest": self._newest(), "seen": self.seen}
        return Batch(tuple(self.papers), mark, incomplete=True, notes=tuple(self.notes))


def _latest(*moments: str) -> str:
    return max((m for m in moments if m), default="", key=datetime.fromisoformat)


def page_url(source: ArxivQuery, since: str, start: int) -> str:
    """URL of one page, built by the ``arxiv`` package."""
    import arxiv

    search = arxiv.Search(
        search_expression(source.query, since),
        sort_by=arxiv.SortCriterion.SubmittedDate,
        sort_order=arxiv.SortOrder.Ascending,
    )
    client = arxiv.Client(page_size=source.page_size)
    client.query_url_format = source.base_url.rstrip("/") + "/api/query?{}"
    return str(client._format_url(search, start, source.page_size))


def search_expression(query: str, since: str = "") -> str:
    """``memory networks`` -> ``all:memory AND all:networks``, restricted to ``since`` less the overlap and after."""
    words = [w for w in re.findall(r"[\w-]+", query) if not _YEAR.match(w)]
    expression = query if re.search(r"\b[a-z_]+:", query) else " AND ".join(f"all:{word}" for word in words)
    if not since:
        return expression
    begin = (datetime.fromisoformat(since).astimezone(UTC) - OVERLAP).strftime("%Y%m%d%H%M")
    return f"({expression}) AND submittedDate:[{begin} TO 299912312359]"


def identifier(entry: str) -> tuple[str, int] | None:
    """``http://arxiv.org/abs/2503.05378v2`` -> (``2503.05378``, 2); None when it is no arXiv identifier."""
    found = _IDENTIFIER.search(entry.strip())
    return (found["id"], int(found["version"] or 1)) if found else None


def _papers(results: list[Result]) -> Iterator[Paper]:
    for result in results:
        known = identifier(result.entry_id)
        if known is None or not result.title.strip():
            continue
        arxiv_id, version = known
        withdrawn = _WITHDRAWN.match(result.summary.strip()) or "withdrawn" in (result.comment or "").lower()
        yield Paper(
            f"arxiv:{arxiv_id}", storable(" ".join(result.title.split())), storable(" ".join(result.summary.split())),
            "arxiv", f"https://arxiv.org/abs/{arxiv_id}", result.published, result.updated, version,
            result.doi or None, arxiv_id, withdrawn=bool(withdrawn),
        )  # fmt: skip


def _error_text(content: bytes) -> str:
    found = re.search(rb"<summary[^>]*>(.*?)</summary>", content, re.DOTALL)
    return " ".join((found[1] if found else b"error entry").decode("utf-8", "replace").split())[:200]
