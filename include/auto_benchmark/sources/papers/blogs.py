"""Competitors' blogs: RSS or Atom where there is one, else an index page of links whose articles are read as text."""

from __future__ import annotations

import hashlib
import io
import re
from calendar import timegm
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any
from urllib.parse import urljoin, urlsplit

from auto_benchmark.research.paper import Paper
from auto_benchmark.research.text import storable
from auto_benchmark.sources.papers.articles import article_text, links_of
from auto_benchmark.sources.papers.source import Batch, Mark, SourceFailed, SourceFault
from auto_benchmark.sources.papers.web import Web

MOST_SEEN = 2000
ARTICLES_A_RUN = 20


@dataclass(frozen=True, slots=True)
class Blog:
    """One blog by the URL of its feed or index page."""

    web: Web
    url: str

    @property
    def key(self) -> str:
        """Identity for the mark."""
        return f"blog:{self.url}"

    def fetch(self, mark: Mark) -> Batch:
        """Entries not seen before. Raises SourceFailed when the answer is neither a feed nor an index page."""
        answer = self.web.get(
            self.url, accept="application/atom+xml, application/rss+xml, text/html;q=0.8, */*;q=0.5"
        )
        if not 200 <= answer.status < 300:
            raise SourceFailed(SourceFault.UNREACHABLE, f"{self.url} answers {answer.status}")
        seen = list(mark.get("seen") or [])
        feed = parse_feed(answer.content, answer.content_type, self.url)
        if feed is not None:
            return self._of_feed(feed, mark, seen)
        links = links_of(answer.content, self.url)
        if not links:
            what = "an empty body" if not answer.content.strip() else "no feed and no index of articles"
            raise SourceFailed(SourceFault.NOT_A_FEED, f"{self.url} is {what}")
        return self._of_index(links, seen)

    def _of_feed(self, feed: Feed, mark: Mark, seen: list[str]) -> Batch:
        if not feed.papers and mark.get("entries"):
            raise SourceFailed(SourceFault.SUSPECT, f"{self.url} had {mark['entries']} entries and has none now")
        new = [paper for paper in feed.papers if paper.id not in set(seen)]
        new.sort(key=lambda p: (p.published is not None, p.published))
        kept = (seen + [paper.id for paper in new])[-MOST_SEEN:]
        return Batch(tuple(new), {"seen": kept, "entries": len(feed.papers)}, notes=feed.notes)

    def _of_index(self, links: list[tuple[str, str]], seen: list[str]) -> Batch:
        papers, notes = [], []
        for url, title in [(u, t) for u, t in links if entry_id(u, t) not in set(seen)][:ARTICLES_A_RUN]:
            try:
                answer = self.web.get(url, accept="text/html")
            except SourceFailed as failed:
                notes.append(str(failed))
                continue
            if answer.status != 200:
                notes.append(f"{url} answers {answer.status}")
                continue
            text = article_text(answer.content)
            papers.append(Paper(entry_id(url, title), storable(title), text[:4000], "blog", url, full_text=text))
        kept = (seen + [paper.id for paper in papers])[-MOST_SEEN:]
        return Batch(tuple(papers), {"seen": kept, "entries": len(links)}, bool(notes), tuple(notes))


@dataclass(frozen=True, slots=True)
class Feed:
    """A feed that was read, with what was odd about it."""

    papers: tuple[Paper, ...]
    notes: tuple[str, ...]


def parse_feed(content: bytes, media_type: str | None, url: str) -> Feed | None:
    """Read RSS or Atom; None when it is neither.

    ``bozo`` alone says nothing: it is false for an empty body and true for a feed with a stray entity. A document
    is a feed when a version was recognised or entries were found.
    """
    import feedparser

    headers = {"content-type": media_type} if media_type else {}
    parsed = feedparser.parse(io.BytesIO(content), response_headers={**headers, "content-location": url})
    if not parsed.get("version") and not parsed.entries:
        return None
    notes = (
        [f"{url}: {type(parsed.bozo_exception).__name__}: {str(parsed.bozo_exception)[:120]}"] if parsed.bozo else []
    )
    papers: dict[str, Paper] = {}
    for entry in parsed.entries:
        paper = _paper(entry, url)
        if paper is None:
            notes.append(f"{url}: an entry without title and text is left out")
        else:
            papers.setdefault(paper.id, paper)
    return Feed(tuple(papers.values()), tuple(notes))


def entry_id(link: str, title: str) -> str:
    """Identity of an entry that outlives a changed guid, tracking parameters and http/https."""
    parts = urlsplit(link)
    place = f"{parts.netloc.lower().removeprefix('www.')}{parts.path.rstrip('/')}"
    identity = place if parts.path.strip("/") else f"{place} {title.casefold()}"
    return "blog:" + hashlib.sha256(identity.encode("utf-8", "replace")).hexdigest()[:16]


def _paper(entry: Mapping[str, Any], url: str) -> Paper | None:
    title = plain_text(str(entry.get("title") or ""))
    body = plain_text(_longest(entry))
    if not title and not body:
        return None
    link = str(entry.get("link") or "")
    link = urljoin(url, link) if link else ""
    if urlsplit(link).scheme not in {"http", "https"}:
        link = ""
    identity = entry_id(link, title) if link else entry_id(f"{url}#", f"{entry.get('id') or ''} {title} {body[:200]}")
    return Paper(
        identity, title or body[:120], body, "blog", link or None,
        _moment(entry.get("published_parsed") or entry.get("created_parsed")), _moment(entry.get("updated_parsed")),
    )  # fmt: skip


def _longest(entry: Mapping[str, Any]) -> str:
    contents: Iterable[Any] = entry.get("content") or ()
    texts = [str(c.get("value") or "") for c in contents if isinstance(c, Mapping)]
    return max([*texts, str(entry.get("summary") or "")], key=len)


def plain_text(markup: str) -> str:
    """The text of a piece of HTML, on one line."""
    if "<" in markup or "&" in markup:
        from bs4 import BeautifulSoup

        markup = BeautifulSoup(markup, "lxml").get_text(" ")
    return storable(re.sub(r"\s+", " ", markup).strip())


def _moment(parsed: Any) -> datetime | None:
    """Feedparser's UTC time tuple; None for none and for dates that no calendar has."""
    try:
        return datetime.fromtimestamp(timegm(parsed), UTC) if parsed else None
    except (TypeError, ValueError, OverflowError, OSError):
        return None
