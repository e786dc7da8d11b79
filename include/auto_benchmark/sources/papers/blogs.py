"""Competitors' blogs: RSS or Atom where there is one, else an index page of links whose articles are read as text."""

from __future__ import annotations

import hashlib
import io
import re
from calendar import timegm
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import UTC, date, datetime, timedelta
from typing import Any
from urllib.parse import parse_qsl, urlencode, urlsplit

from auto_benchmark.research.paper import Paper, moment
from auto_benchmark.research.text import storable
from auto_benchmark.sources.papers.articles import article_text, linked, links_of
from auto_benchmark.sources.papers.source import Batch, Mark, SourceFailed, SourceFault
from auto_benchmark.sources.papers.web import Web

MOST_SEEN = 4000
"""Identities that are remembered; an entry has up to two."""
AHEAD = timedelta(days=2)
"""A date further ahead than clocks and timezones explain is a mistake."""
_HALF = re.compile(
    rb"&#(?:x0*[dD][89a-fA-F][0-9a-fA-F]{2}|0*5(?:529[6-9]|5[3-9]\d{2}|6\d{3}|7[0-2]\d{2}|73[0-3]\d|734[0-3]));"
)
"""Half a surrogate pair, which is no character of XML, and no parser that was tried survives it."""
_TRACKING = re.compile(
    r"utm_\w+|fbclid|gclid|dclid|msclkid|igshid|mc_[ce]id|ref|ref_src|_hs(?:enc|mi)", re.IGNORECASE
)
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
        known = set(seen)
        new = [paper for paper in feed.papers if known.isdisjoint(feed.names[paper.id])]
        new.sort(key=lambda p: (p.published is not None, p.published and moment(p.published)))
        told = [name for paper in feed.papers for name in feed.names[paper.id] if name not in known]
        edge = datetime.now(UTC) + AHEAD
        ahead = [p for p in new if p.published is not None and moment(p.published) > edge]
        notes = [f"{self.url}: {p.title[:80]!r} is dated in the future, {p.published:%Y-%m-%d}" for p in ahead]
        mark = {"seen": (seen + told)[-MOST_SEEN:], "entries": len(feed.papers)}
        return Batch(tuple(new), mark, notes=(*feed.notes, *notes))

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
    """A feed that was read, with what was odd about it.

    Attributes:
        papers: one per entry.
        notes: what was odd.
        names: id of a paper -> every identity of its entry; entries that share one are the same.
    """

    papers: tuple[Paper, ...]
    notes: tuple[str, ...]
    names: Mapping[str, tuple[str, ...]]


def parse_feed(content: bytes, media_type: str | None, url: str) -> Feed | None:
    """Read RSS or Atom; None when it is neither.

    ``bozo`` alone says nothing: it is false for an empty body and true for a feed with a stray entity. A document
    is a feed when a version was recognised or entries were found.
    """
    import feedparser

    headers = {"content-type": media_type} if media_type else {}
    content = _HALF.sub(b"&#xFFFD;", content)
    try:
        parsed = feedparser.parse(io.BytesIO(content), response_headers={**headers, "content-location": url})
    except Exception as error:  # it promises to raise nothing, and does
        raise SourceFailed(SourceFault.MALFORMED, f"{url}: {type(error).__name__}: {error}"[:200]) from error
    if not parsed.get("version") and not parsed.entries:
        return None
    notes = (
        [f"{url}: {type(parsed.bozo_exception).__name__}: {str(parsed.bozo_exception)[:120]}"] if parsed.bozo else []
    )
    papers: list[Paper] = []
    names: dict[str, tuple[str, ...]] = {}
    owner: dict[str, str] = {}
    for entry in parsed.entries:
        paper = _paper(entry, url)
        if paper is None:
            notes.append(f"{url}: an entry without title and text is left out")
            continue
        guid = str(entry.get("id") or "")
        mine = (paper.id, *([_hashed(f"{url} guid {guid}")] if guid else []))
        same = next((owner[name] for name in mine if name in owner), None)
        if same is None:
            papers.append(paper)
        names[same or paper.id] = tuple(dict.fromkeys((*names.get(same or paper.id, ()), *mine)))
        owner.update(dict.fromkeys(mine, same or paper.id))
    return Feed(tuple(papers), tuple(notes), names)


def entry_id(link: str, title: str) -> str:
    """Identity of an entry by its link, which outlives a changed guid, tracking parameters and http/https."""
    parts = urlsplit(link)
    asked = [(name, value) for name, value in parse_qsl(parts.query, True) if not _TRACKING.fullmatch(name)]
    place = f"{parts.netloc.lower().removeprefix('www.')}{parts.path.rstrip('/')}"
    place += f"?{urlencode(sorted(asked))}" if asked else ""
    return _hashed(place if parts.path.strip("/") or asked else f"{place} {title.casefold()}")


def _hashed(identity: str) -> str:
    return "blog:" + hashlib.sha256(identity.encode("utf-8", "replace")).hexdigest()[:16]


def _paper(entry: Mapping[str, Any], url: str) -> Paper | None:
    title = plain_text(str(entry.get("title") or ""))
    body = plain_text(_longest(entry))
    if not title and not body:
        return None
    link = str(entry.get("link") or "")
    link = linked(url, link) if link else ""
    if urlsplit(link).scheme not in {"http", "https"}:
        link = ""
    guid = str(entry.get("id") or "")
    identity = entry_id(link, title) if link else _hashed(f"{url} entry {guid or f'{title} {body[:200]}'}")
    name = "published" if entry.get("published_parsed") else "created"
    published: datetime | date | None = _moment(entry.get(f"{name}_parsed"))
    if isinstance(published, datetime) and _is_day(str(entry.get(name) or "")):
        published = published.date()
    return Paper(
        identity, title or body[:120], body, "blog", link or None, published, _moment(entry.get("updated_parsed"))
    )


def _is_day(text: str) -> bool:
    """Whether a date names no time: ``2026-04-14``, ``14 Apr 2026``."""
    return bool(text) and ":" not in text and not re.search(r"\dT\d", text)


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
