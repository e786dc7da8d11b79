"""``research_config.yaml``: where papers come from."""

from __future__ import annotations

from pydantic import Field, StrictStr

from auto_benchmark.documents import Strict


class ResearchSources(Strict):
    """The feeds. An entry of ``citation_tracking`` is an arXiv id, a DOI or a title of our core method."""

    arxiv_queries: list[StrictStr] = []
    venues: list[StrictStr] = []
    competitor_blogs: list[StrictStr] = []
    citation_tracking: list[StrictStr] = []


class Relevance(Strict):
    """What counts as our domain beyond its name and the target leaderboards.

    Attributes:
        terms: words and phrases; a paper that uses one and reports results is about our domain.
    """

    terms: list[StrictStr] = []


class ResearchConfig(Strict):
    """The whole file."""

    research_sources: ResearchSources = Field(default=ResearchSources())
    relevance: Relevance = Relevance()
