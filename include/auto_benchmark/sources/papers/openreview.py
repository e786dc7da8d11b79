"""Accepted and submitted papers of a venue, from OpenReview's second interface or, where that has none, its first."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any
from urllib.parse import urlencode

from auto_benchmark.research.paper import Paper
from auto_benchmark.research.text import storable
from auto_benchmark.sources.papers.source import Batch, Mark, SourceFailed, SourceFault
from auto_benchmark.sources.papers.web import Web

BASE_URL = "https://api2.openreview.net"
BASE_URL_V1 = "https://api.openreview.net"
_GROUPS = {
    "colm": "colmweb.org/COLM",
    "corl": "robot-learning.org/CoRL",
    "acl": "aclweb.org/ACL",
    "emnlp": "EMNLP",
    "uai": "auai.org/UAI",
}
OVERLAP_MS = 120 * 24 * 3600 * 1000
"""Notes become public weeks or months after they were created: each run looks back this far again."""
_TAKEN_BACK = re.compile(r"withdrawn|desk[ -]?reject|retracted", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Venue:
    """One venue: ``ICLR 2026``, or OpenReview's own id ``ICLR.cc/2026/Conference``.

    Attributes:
        web: does the calls.
        name: the venue.
        base_url: of the second interface.
        base_url_v1: of the first, for venues before 2024.
        page_size: notes a page.
        limit: notes a run; more are read by later runs.
    """

    web: Web
    name: str
    base_url: str = BASE_URL
    base_url_v1: str = BASE_URL_V1
    page_size: int = 200
    limit: int = 2000

    @property
    def key(self) -> str:
        """Identity for the mark."""
        return f"openreview:{self.name}"

    def fetch(self, mark: Mark) -> Batch:
        """Notes not seen before. Raises SourceFailed when neither interface knows the venue."""
        since, start = int(mark.get("since_ms") or 0), int(mark.get("next_start") or 0)
        seen: dict[str, int] = dict(mark.get("seen") or {})
        group = venue_id(self.name)
        v2 = f"{self.base_url}/notes?" + urlencode({"content.venueid": group})
        v1 = f"{self.base_url_v1}/notes?" + urlencode({"invitation": f"{group}/-/Blind_Submission"})
        for url in (v2, v1):
            try:
                batch = self._read(url, since, start, seen)
            except SourceFailed as failed:
                if failed.fault is not SourceFault.NOT_FOUND:
                    raise
                batch = None
            if batch is not None:
                return batch
        if start:  # earlier runs have read exactly everything
            return _complete([], since, seen, [])
        if since:
            return Batch((), dict(mark))
        raise SourceFailed(SourceFault.NOT_FOUND, f"OpenReview knows no papers of {group!r}")

    def _read(self, url: str, since: int, start: int, seen: dict[str, int]) -> Batch | None:
        """Pages from ``start`` on, until the end or the limit of a run; None when the interface has none there."""
        papers: list[Paper] = []
        notes: list[str] = []
        offset, total = start, None
        while offset - start < self.limit:
            try:
                found, count = self._page(url, since, offset)
            except SourceFailed as failed:
                if offset == start:
                    raise
                notes.append(str(failed))
                return _broken_off(papers, since, offset, seen, notes)
            total = total if count is None else count
            for note in found:
                paper = paper_of(note)
                if paper is None:
                    notes.append(f"a note without id or title is left out: {str(note)[:80]}")
                elif paper.id not in seen:
                    seen[paper.id] = _created(note)
                    papers.append(paper)
            offset += len(found)
            if len(found) < self.page_size and (total is None or offset >= total or not found):
                break
        else:
            return _broken_off(papers, since, offset, seen, notes)
        return None if offset == start and not (start and total) else _complete(papers, since, seen, notes)

    def _page(self, url: str, since: int, offset: int) -> tuple[list[Any], int | None]:
        """The notes of one page, and how many there are on all pages where that is known."""
        asked = {
            "limit": self.page_size,
            "offset": offset,
            "sort": "cdate:asc",
            "mintcdate": max(0, since - OVERLAP_MS) + 1,
        }
        page = f"{url}&{urlencode(asked)}"
        answer = self.web.json(page)
        found = answer.get("notes") if isinstance(answer, Mapping) else None
        if not isinstance(found, list):
            raise SourceFailed(SourceFault.MALFORMED, f"{page} has no list of notes")
        count = answer.get("count")
        return found, count if isinstance(count, int) else None


def _broken_off(papers: list[Paper], since: int, offset: int, seen: dict[str, int], notes: list[str]) -> Batch:
    """What was read; the next run goes on at ``offset``, under the same filter."""
    mark = {"since_ms": since, "next_start": offset, "seen": seen}
    return Batch(tuple(papers), mark, incomplete=True, notes=tuple(notes))


def _complete(papers: list[Paper], since: int, seen: dict[str, int], notes: list[str]) -> Batch:
    """The last of the runs that read one pass: the next one begins an overlap before the newest note of them all."""
    newest = max(since, *seen.values(), 0)
    kept = {name: created for name, created in seen.items() if created > newest - OVERLAP_MS}
    return Batch(tuple(papers), {"since_ms": newest, "next_start": 0, "seen": kept}, notes=tuple(notes))


def venue_id(name: str) -> str:
    """``ICLR 2026`` -> ``ICLR.cc/2026/Conference``; an id with a slash is returned as it is."""
    if "/" in name:
        return name
    found = re.match(r"^\s*([A-Za-z]+)[\s'-]*((?:19|20)\d{2})\s*$", name)
    if found is None:
        raise SourceFailed(
            SourceFault.NOT_FOUND, f"venue {name!r} should read like 'ICLR 2026' or 'ICLR.cc/2026/Conference'"
        )
    return f"{_GROUPS.get(found[1].lower(), found[1] + '.cc')}/{found[2]}/Conference"


def paper_of(note: Any) -> Paper | None:
    """One note of either interface (titles come as text or as ``{"value": text}``); None without id or title."""
    content = note.get("content") if isinstance(note, Mapping) else None
    if not isinstance(content, Mapping) or not isinstance(note.get("id"), str):
        return None
    title = _value(content, "title")
    if not title:
        return None
    forum = str(note.get("forum") or note["id"])
    abstract = _value(content, "abstract") or _value(content, "TL;DR") or _value(content, "tldr")
    edited = note.get("mdate") or note.get("tmdate")
    told = [_value(content, "venue"), *_invitations(note)]
    taken_back = bool(note.get("withdrawn")) or any(_TAKEN_BACK.search(text) for text in told)
    return Paper(
        f"openreview:{forum}", title, abstract,
        "openreview", f"https://openreview.net/forum?id={forum}", _moment(note.get("pdate") or _created(note)),
        _moment(edited), withdrawn=taken_back,
    )  # fmt: skip


def _value(content: Mapping[str, Any], name: str) -> str:
    value = content.get(name)
    if isinstance(value, Mapping):
        value = value.get("value")
    return storable(" ".join(value.split())) if isinstance(value, str) else ""


def _invitations(note: Mapping[str, Any]) -> list[str]:
    """What the note was an answer to, in words: ``Withdrawn Submission``; one of the first interface, several later."""
    found = note.get("invitations")
    found = found if isinstance(found, list) else [note.get("invitation")]
    return [text.rpartition("/-/")[2].replace("_", " ") for text in found if isinstance(text, str)]


def _created(note: Mapping[str, Any]) -> int:
    stamp = note.get("tcdate") or note.get("cdate") or 0
    return int(stamp) if isinstance(stamp, int | float) else 0


def _moment(milliseconds: Any) -> datetime | None:
    try:
        return datetime.fromtimestamp(milliseconds / 1000, UTC) if milliseconds else None
    except (TypeError, ValueError, OverflowError, OSError):
        return None
