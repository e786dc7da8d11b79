"""Who or what a hypothesis comes from: what its claims are weighed by, and whose share of the level it spends."""

from __future__ import annotations

from enum import StrEnum

from auto_benchmark.research.log import citation_in


class Origin(StrEnum):
    """Kinds of sources."""

    AGENT = "agent"
    COMPETITOR = "competitor"
    PAPER = "paper"
    PERSON = "person"
    SEARCH = "search"


def of_agent(name: str) -> str:
    """The origin of what one agent proposes."""
    return f"{Origin.AGENT}:{name}"


def kind_of(origin: str) -> Origin:
    """``agent:llm:LAB`` is an agent."""
    return Origin(origin.partition(":")[0])


def origin_in(source: str) -> str:
    """For rows from before an origin was recorded: by the words in which the loop names its sources; else a person."""
    if source.startswith("agent "):
        return of_agent(source.removeprefix("agent "))
    if source.startswith("report:"):
        return Origin.COMPETITOR
    if citation_in(source) is not None:
        return Origin.PAPER
    return Origin.SEARCH if " search + gap analysis" in source else Origin.PERSON
