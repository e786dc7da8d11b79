"""All sources of a project: built from ``research_config.yaml``, read one after another, none stopping the others."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass

from auto_benchmark.registry.research_config import ResearchSources
from auto_benchmark.sources.papers.arxiv import BASE_URL as ARXIV
from auto_benchmark.sources.papers.arxiv import ArxivQuery
from auto_benchmark.sources.papers.blogs import Blog
from auto_benchmark.sources.papers.citations import BASE_URL as SEMANTIC_SCHOLAR
from auto_benchmark.sources.papers.citations import Citations
from auto_benchmark.sources.papers.openalex import BASE_URL as OPENALEX
from auto_benchmark.sources.papers.openalex import OpenAlexCitations
from auto_benchmark.sources.papers.openreview import BASE_URL as OPENREVIEW
from auto_benchmark.sources.papers.openreview import BASE_URL_V1 as OPENREVIEW_V1
from auto_benchmark.sources.papers.openreview import Venue
from auto_benchmark.sources.papers.source import Batch, Mark, PaperSource, SourceFailed, SourceFault
from auto_benchmark.sources.papers.web import Web

MOST_NOTES = 5
"""Of what was odd about one source; the log's row holds more."""


@dataclass(frozen=True, slots=True)
class Endpoints:
    """Base URLs of the services; a mirror or a test server may stand in."""

    arxiv: str = ARXIV
    openreview: str = OPENREVIEW
    openreview_v1: str = OPENREVIEW_V1
    semantic_scholar: str = SEMANTIC_SCHOLAR
    openalex: str = OPENALEX


@dataclass(frozen=True, slots=True)
class Collected:
    """What one source brought: a batch, or the fault that kept it from bringing one."""

    key: str
    batch: Batch | None = None
    fault: SourceFault | None = None
    message: str = ""


def sources_of(declared: ResearchSources, web: Web, endpoints: Endpoints | None = None) -> list[PaperSource]:
    """One source per line of the configuration, in its order."""
    at = endpoints or Endpoints()
    sources: list[PaperSource] = [ArxivQuery(web, query, at.arxiv) for query in declared.arxiv_queries]
    sources += [Venue(web, name, at.openreview, at.openreview_v1) for name in declared.venues]
    sources += [Blog(web, url) for url in declared.competitor_blogs]
    sources += [
        Citations(web, core, at.semantic_scholar, OpenAlexCitations(web, core, at.openalex))
        for core in declared.citation_tracking
    ]
    return sources


def collect(
    sources: Iterable[PaperSource], marks: Mapping[str, Mark], say: Callable[[str], None] = lambda _: None
) -> list[Collected]:
    """Read every source from its mark. A source that fails is reported and its mark stays where it was."""
    collected = []
    for source in sources:
        try:
            batch = source.fetch(marks.get(source.key, {}))
        except SourceFailed as failed:
            say(f"{source.key}: {failed}")
            collected.append(Collected(source.key, fault=failed.fault, message=failed.message))
            continue
        except Exception as error:  # an answer of an unforeseen shape must not cost the other sources
            told = f"{type(error).__name__}: {error}"
            say(f"{source.key}: {told}")
            collected.append(Collected(source.key, fault=SourceFault.MALFORMED, message=told))
            continue
        say(f"{source.key}: {len(batch.papers)} new papers{', incomplete' if batch.incomplete else ''}")
        for note in batch.notes[:MOST_NOTES]:
            say(f"  {note}")
        collected.append(Collected(source.key, batch))
    return collected
