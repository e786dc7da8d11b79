"""``research_config.yaml``: where papers come from."""

from __future__ import annotations

from pydantic import Field, StrictStr

from auto_benchmark.documents import Strict
from auto_benchmark.registry.names import Count, Name


class ResearchSources(Strict):
    """The feeds. An entry of ``citation_tracking`` is an arXiv id, a DOI or a title of our core method."""

    arxiv_queries: list[StrictStr] = []
    venues: list[StrictStr] = []
    competitor_blogs: list[StrictStr] = []
    citation_tracking: list[StrictStr] = []


class RelevanceTerms(Strict):
    """What counts as our domain beyond its name and the target leaderboards.

    Attributes:
        terms: words and phrases; a paper that uses one and reports results is about our domain.
    """

    terms: list[StrictStr] = []


class SecondReaderConfig(Strict):
    """A language model that reads relevant papers after the rules have; without this part only the rules do.

    Attributes:
        conn_id: Connection of an OpenAI-compatible endpoint (its host ends before ``/chat/completions``).
        model: name of the model there.
        max_calls: requests of one run.
        max_tokens: tokens of one run, as the endpoint counts them.
    """

    conn_id: StrictStr
    model: StrictStr
    max_calls: Count = 100
    max_tokens: Count = 500_000


class ResearchConfig(Strict):
    """The whole file.

    Attributes:
        research_sources: the feeds.
        competitor_reports: competitor -> URL or path of its technical report, README or article; null where no public
            source is known, which asks people once.
    """

    research_sources: ResearchSources = Field(default=ResearchSources())
    competitor_reports: dict[Name, StrictStr | None] = {}
    relevance: RelevanceTerms = RelevanceTerms()
    second_reader: SecondReaderConfig | None = None

    @property
    def declares_a_source(self) -> bool:
        """Whether there is anything to read."""
        return bool(self.competitor_reports) or any(self.research_sources.model_dump().values())
