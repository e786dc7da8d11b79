"""Papers that cite our core method: Semantic Scholar, or OpenAlex when that fails."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, date, datetime
from typing import Any
from urllib.parse import quote, urlencode

from auto_benchmark.research.paper import Paper
from auto_benchmark.research.text import storable
from auto_benchmark.sources.papers.openalex import OpenAlexCitations
from auto_benchmark.sources.papers.source import Batch, Mark, SourceFailed, SourceFault
from auto_benchmark.sources.papers.web import Web

BASE_URL = "https://api.semanticscholar.org"
FIELDS = "paperId,externalIds,title,abstract,publicationDate,year,url"
LARGEST_FALL = 0.2
"""A citation count that falls by more is a fault of the source, not news."""


@dataclass(frozen=True, slots=True)
class Citations:
    """Papers that cite one paper, given as arXiv id, DOI or title."""

    web: Web
    core: str
    base_url: str = BASE_URL
    fallback: OpenAlexCitations | None = None
    page_size: int = 100
    limit: int = 3000

    @property
    def key(self) -> str:
        """Identity for the mark."""
        return f"citations:{self.core}"

    def fetch(self, mark: Mark) -> Batch:
        """Citing papers not seen before. Raises SourceFailed when both services fail."""
        try:
            return self._fetch(mark)
        except SourceFailed as failed:
            if self.fallback is None:
                raise
            batch = self.fallback.fetch(mark)
            return Batch(
                batch.papers, batch.mark, batch.incomplete, (f"{failed}; OpenAlex answered instead", *batch.notes)
            )

    def _fetch(self, mark: Mark) -> Batch:
        seen = list(mark.get("seen") or [])
        known = set(seen)
        found: dict[str, Paper] = {}
        notes: list[str] = []
        offset, unusable = 0, 0
        place = f"{self.base_url}/graph/v1/paper/{quote(self._id(), safe=':/')}/citations"
        while offset < self.limit:
            try:
                answer = self.web.json(
                    f"{place}?{urlencode({'fields': FIELDS, 'offset': offset, 'limit': self.page_size})}"
                )
            except SourceFailed as failed:
                if offset == 0:
                    raise
                notes.append(str(failed))
                break
            rows = (answer.get("data") if isinstance(answer, Mapping) else None) or []
            for row in rows:
                paper = paper_of(row.get("citingPaper") if isinstance(row, Mapping) else None)
                if paper is None:
                    unusable += 1
                elif paper.id not in known:
                    found.setdefault(paper.id, paper)
            following = answer.get("next") if isinstance(answer, Mapping) else None
            if not isinstance(following, int) or following <= offset:
                break
            offset = following
        if unusable:
            notes.append(f"{unusable} citing papers have no title or id yet")
        incomplete = any("tried again" in note for note in notes)
        return Batch(tuple(found.values()), {"seen": [*seen, *found]}, incomplete, tuple(notes))

    def _id(self) -> str:
        core = self.core.strip()
        if re.fullmatch(r"\d{4}\.\d{4,5}(?:v\d+)?|[a-z-]+(?:\.[A-Z]{2})?/\d{7}(?:v\d+)?", core):
            return "ARXIV:" + re.sub(r"v\d+$", "", core)
        if core.lower().startswith("arxiv:"):
            return "ARXIV:" + re.sub(r"v\d+$", "", core[6:])
        if core.startswith("10."):
            return f"DOI:{core}"
        answer = self.web.json(
            f"{self.base_url}/graph/v1/paper/search/match?{urlencode({'query': core, 'fields': 'paperId'})}"
        )
        rows = (answer.get("data") if isinstance(answer, Mapping) else None) or []
        if not rows or not isinstance(rows[0], Mapping) or not rows[0].get("paperId"):
            raise SourceFailed(SourceFault.NOT_FOUND, f"no paper is titled {core!r}")
        return str(rows[0]["paperId"])


def paper_of(data: Any) -> Paper | None:
    """One paper as Semantic Scholar gives it; None without id or title (it sends both as null)."""
    if (
        not isinstance(data, Mapping)
        or not data.get("paperId")
        or not isinstance(data.get("title"), str)
        or not data["title"].strip()
    ):
        return None
    other = data.get("externalIds") if isinstance(data.get("externalIds"), Mapping) else {}
    arxiv_id = other.get("ArXiv") if isinstance(other, Mapping) else None
    doi = other.get("DOI") if isinstance(other, Mapping) else None
    abstract = data.get("abstract")
    return Paper(
        f"arxiv:{arxiv_id}" if arxiv_id else f"s2:{data['paperId']}", storable(" ".join(data["title"].split())),
        storable(" ".join(abstract.split())) if isinstance(abstract, str) else "", "citations",
        data.get("url") if isinstance(data.get("url"), str) else None, _date(data), doi=doi, arxiv_id=arxiv_id,
    )  # fmt: skip


def _date(data: Mapping[str, Any]) -> date | None:
    try:
        return date.fromisoformat(str(data["publicationDate"])[:10])
    except (KeyError, ValueError):
        return datetime(int(data["year"]), 1, 1, tzinfo=UTC) if isinstance(data.get("year"), int) else None


@dataclass(frozen=True, slots=True)
class CitationCounts:
    """Citation counts of a batch: those to be stored, and those that cannot be believed with the reason."""

    counts: Mapping[str, int]
    suspect: Mapping[str, str]


def citation_counts(asked: Sequence[str], answer: Sequence[Any], known: Mapping[str, int]) -> CitationCounts:
    """Join a batch answer with what was asked, by position: the service answers null for ids it does not know.

    Args:
        asked: ids in the order of the request.
        answer: the answer's list, one element or null each.
        known: counts of earlier runs; a large fall is flagged and the old count stays.

    Raises:
        SourceFailed: the answer has another length, so that positions mean nothing.
    """
    if len(asked) != len(answer):
        raise SourceFailed(SourceFault.MALFORMED, f"{len(answer)} answers for {len(asked)} ids")
    counts, suspect = {}, {}
    for name, element in zip(asked, answer, strict=True):
        count = element.get("citationCount") if isinstance(element, Mapping) else None
        if not isinstance(count, int) or isinstance(count, bool) or count < 0:
            continue
        before = known.get(name)
        if before and count < before * (1 - LARGEST_FALL):
            suspect[name] = f"fell from {before} to {count}"
        else:
            counts[name] = count
    return CitationCounts(counts, suspect)
