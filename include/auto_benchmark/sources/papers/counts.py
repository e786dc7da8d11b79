"""How often papers are cited: Semantic Scholar one by one, OpenAlex in batches for what that does not answer."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any
from urllib.parse import quote, urlencode

from auto_benchmark.research.paper import Paper
from auto_benchmark.sources.papers.citations import citation_counts
from auto_benchmark.sources.papers.source import SourceFailed, SourceFault
from auto_benchmark.sources.papers.web import Web

MOST_A_RUN = 40
A_BATCH = 25
_S2 = re.compile(r"s2:([0-9a-f]{40})")


def counts_of(
    web: Web, papers: Sequence[Paper], known: Mapping[str, int], semantic_scholar: str, openalex: str
) -> tuple[dict[str, int], list[str]]:
    """Citation counts by paper id, and what went wrong in words. A count that fell suspiciously is left out.

    Args:
        web: does the calls.
        papers: whose counts are wanted; those without DOI, arXiv or Semantic Scholar id are passed over.
        known: counts of earlier runs.
        semantic_scholar: its base URL.
        openalex: the base URL of the fallback.
    """
    wanted = [paper for paper in papers if _s2_id(paper)][:MOST_A_RUN]
    answers: dict[str, Any] = {}
    notes: list[str] = []
    for paper in wanted:
        place = f"{semantic_scholar}/graph/v1/paper/{quote(str(_s2_id(paper)), safe=':/')}?fields=citationCount"
        try:
            answers[paper.id] = web.json(place)
        except SourceFailed as failed:
            if failed.fault is SourceFault.NOT_FOUND:
                answers[paper.id] = None
                continue
            notes.append(f"citation counts: {failed}")
            break
    rest = [paper for paper in wanted if paper.id not in answers and _doi(paper)]
    for begin in range(0, len(rest), A_BATCH):
        try:
            answers.update(_of_openalex(web, rest[begin : begin + A_BATCH], openalex))
        except SourceFailed as failed:
            notes.append(f"citation counts: {failed}")
            break
    found = citation_counts(list(answers), list(answers.values()), known)
    notes += [f"citation count of {name} {why}; the old one stays" for name, why in found.suspect.items()]
    return dict(found.counts), notes


def _of_openalex(web: Web, papers: Sequence[Paper], base_url: str) -> dict[str, Any]:
    dois = {str(_doi(paper)).casefold(): paper.id for paper in papers}
    query = urlencode({"filter": f"doi:{'|'.join(dois)}", "select": "doi,cited_by_count", "per-page": len(papers)})
    answer = web.json(f"{base_url}/works?{query}")
    rows = (answer.get("results") if isinstance(answer, Mapping) else None) or []
    found: dict[str, Any] = {}
    for row in rows:
        doi = (
            str(row.get("doi") or "").removeprefix("https://doi.org/").casefold() if isinstance(row, Mapping) else ""
        )
        if doi in dois:
            found[dois[doi]] = {"citationCount": row.get("cited_by_count")}
    return found


def _s2_id(paper: Paper) -> str | None:
    if paper.arxiv_id:
        return f"ARXIV:{paper.arxiv_id}"
    if paper.doi:
        return f"DOI:{paper.doi}"
    own = _S2.fullmatch(paper.id)
    return own[1] if own else None


def _doi(paper: Paper) -> str | None:
    return paper.doi or (f"10.48550/arXiv.{paper.arxiv_id}" if paper.arxiv_id else None)
