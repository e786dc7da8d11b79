"""Citing papers from OpenAlex, whose abstracts come as an index from word to positions."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import date
from typing import Any
from urllib.parse import quote, urlencode

from auto_benchmark.research.paper import Paper
from auto_benchmark.research.text import storable
from auto_benchmark.sources.papers.source import Batch, Mark, SourceFailed, SourceFault
from auto_benchmark.sources.papers.web import Web

BASE_URL = "https://api.openalex.org"
LONGEST_ABSTRACT_WORDS = 20_000


@dataclass(frozen=True, slots=True)
class OpenAlexCitations:
    """Papers that cite one paper, given as arXiv id, DOI or title."""

    web: Web
    core: str
    base_url: str = BASE_URL
    page_size: int = 100
    limit: int = 3000

    @property
    def key(self) -> str:
        """Identity for the mark."""
        return f"citations:{self.core}"

    def fetch(self, mark: Mark) -> Batch:
        """Citing papers not seen before. Raises SourceFailed."""
        seen = list(mark.get("seen") or [])
        known, found, read = set(seen), dict[str, Paper](), 0
        cursor: str | None = "*"
        work = self._work()
        while cursor and read < self.limit:
            query = urlencode({"filter": f"cites:{work}", "per-page": self.page_size, "cursor": cursor})
            answer = self.web.json(f"{self.base_url}/works?{query}")
            rows = (answer.get("results") if isinstance(answer, Mapping) else None) or []
            for row in rows:
                paper = paper_of(row)
                if paper is not None and paper.id not in known:
                    found.setdefault(paper.id, paper)
            read += len(rows)
            meta = answer.get("meta") if isinstance(answer, Mapping) else None
            cursor = meta.get("next_cursor") if rows and isinstance(meta, Mapping) else None
        return Batch(tuple(found.values()), {"seen": [*seen, *found]})

    def _work(self) -> str:
        core = re.sub(r"^arxiv:", "", self.core.strip(), flags=re.IGNORECASE)
        if re.fullmatch(r"\d{4}\.\d{4,5}(?:v\d+)?", core):
            core = "10.48550/arXiv." + re.sub(r"v\d+$", "", core)
        if core.startswith("10."):
            answer = self.web.json(f"{self.base_url}/works/doi:{quote(core, safe='/')}")
            return _short_id(answer)
        answer = self.web.json(f"{self.base_url}/works?{urlencode({'search': core, 'per-page': 1})}")
        rows = (answer.get("results") if isinstance(answer, Mapping) else None) or []
        if not rows:
            raise SourceFailed(SourceFault.NOT_FOUND, f"no paper is titled {core!r}")
        return _short_id(rows[0])


def paper_of(data: Any) -> Paper | None:
    """One work; None without id or title."""
    title = data.get("title") or data.get("display_name") if isinstance(data, Mapping) else None
    if not isinstance(title, str) or not title.strip() or not data.get("id"):
        return None
    doi = str(data.get("doi") or "").removeprefix("https://doi.org/") or None
    arxiv = re.search(r"arxiv\.(\d{4}\.\d{4,5})", doi or "", re.IGNORECASE)
    return Paper(
        f"arxiv:{arxiv[1]}" if arxiv else f"openalex:{_short_id(data)}", storable(" ".join(title.split())),
        storable(abstract_of(data.get("abstract_inverted_index"))), "citations", str(data["id"]), _date(data),
        doi=doi, arxiv_id=arxiv[1] if arxiv else None,
    )  # fmt: skip


def abstract_of(index: Any) -> str:
    """``{"Memory": [0], "helps": [1]}`` -> ``Memory helps``; "" for anything else."""
    if not isinstance(index, Mapping):
        return ""
    placed = [
        (p, str(word))
        for word, places in index.items()
        if isinstance(places, list)
        for p in places
        if isinstance(p, int)
    ]
    return " ".join(word for _, word in sorted(placed)[:LONGEST_ABSTRACT_WORDS])


def _short_id(data: Any) -> str:
    found = re.search(r"(W\d+)$", str(data.get("id") if isinstance(data, Mapping) else ""))
    if found is None:
        raise SourceFailed(SourceFault.MALFORMED, f"no OpenAlex id in {str(data)[:80]}")
    return found[1]


def _date(data: Mapping[str, Any]) -> date | None:
    try:
        return date.fromisoformat(str(data["publication_date"])[:10])
    except (KeyError, ValueError):
        return None
