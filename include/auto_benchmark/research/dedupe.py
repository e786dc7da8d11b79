"""The same paper from several sources is one paper: by DOI, by arXiv id without version, by normalised title."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable
from dataclasses import replace

from auto_benchmark.research.paper import Paper, moment

SHORTEST_TITLE = 20
"""Characters of a normalised title below which two papers may share it by chance ("Release notes")."""


def keys_of(paper: Paper) -> list[str]:
    """Every identity of a paper; two papers that share one are the same."""
    keys = [paper.id]
    if paper.doi:
        keys.append("doi:" + normal_doi(paper.doi))
    arxiv_id = paper.arxiv_id or _arxiv_of(paper.doi or "")
    if arxiv_id:
        keys.append("arxiv:" + re.sub(r"v\d+$", "", arxiv_id))
    title = normal_title(paper.title)
    if len(title) >= SHORTEST_TITLE:
        keys.append("title:" + title)
    return keys


def normal_title(title: str) -> str:
    """Letters and digits only, lower case, without accents and markup."""
    text = unicodedata.normalize("NFKD", re.sub(r"\\[a-z]+|[{}$]", "", title)).casefold()
    return "".join(c for c in text if c.isalnum())


def normal_doi(doi: str) -> str:
    """Lower case, without resolver."""
    return re.sub(r"^(?:https?://)?(?:dx\.)?doi\.org/|^doi:", "", doi.strip(), flags=re.IGNORECASE).lower()


def merge(papers: Iterable[Paper]) -> list[Paper]:
    """One paper per identity, in first-seen order; the newest version's text wins, others fill gaps."""
    merged: list[Paper | None] = []
    place: dict[str, int] = {}
    for paper in papers:
        keys = keys_of(paper)
        known = sorted({place[key] for key in keys if key in place})
        if not known:
            merged.append(paper)
            place.update(dict.fromkeys(keys, len(merged) - 1))
            continue
        first = known[0]
        one = paper
        for index in reversed(known):
            if (other := merged[index]) is not None:
                one = _joined(other, one)
                merged[index] = None
        merged[first] = one
        place.update(dict.fromkeys([*keys, *keys_of(one)], first))
        place.update({key: first for key, index in place.items() if index in known})
    return [paper for paper in merged if paper is not None]


def _joined(first: Paper, second: Paper) -> Paper:
    newer = second if (second.version, len(second.abstract)) > (first.version, len(first.abstract)) else first
    dates = [p.published for p in (first, second) if p.published]
    return replace(
        first,
        title=newer.title,
        abstract=newer.abstract or first.abstract or second.abstract,
        url=first.url or second.url,
        published=min(dates, key=moment) if dates else None,
        updated=max((p.updated for p in (first, second) if p.updated), default=None),
        version=max(first.version, second.version),
        doi=first.doi or second.doi,
        arxiv_id=first.arxiv_id or second.arxiv_id,
        full_text=first.full_text or second.full_text,
        withdrawn=first.withdrawn or second.withdrawn,
        tables=first.tables or second.tables,
    )


def _arxiv_of(doi: str) -> str | None:
    found = re.search(r"arxiv\.(\d{4}\.\d{4,5})", doi, re.IGNORECASE)
    return found[1] if found else None
