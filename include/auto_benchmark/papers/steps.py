"""Steps from papers to hypotheses. A step imports its implementation when it is called, so flows are light.

``web`` and ``endpoints`` say how the services are asked and where they are. No flow names them; a caller
that runs a flow inline may give them.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from auto_benchmark.project.context import Context
    from auto_benchmark.sources.papers.collect import Endpoints
    from auto_benchmark.sources.papers.web import Web


def fetch_papers(
    ctx: Context, owner: str, woken: bool, web: Web | None = None, endpoints: Endpoints | None = None
) -> dict[str, Any] | None:
    """Read every source from its mark. It answers the widened gaps that wait.

    Args:
        ctx: the project.
        owner: name of the run.
        woken: an event started it; if another run has answered that, there is nothing to do.
        web: does the calls.
        endpoints: where the services are.

    Returns:
        ``{"new", "updated", "sources"}``; None when there is nothing to do.
    """
    from auto_benchmark.boards.landscape import answers
    from auto_benchmark.leaderboards.triggers import Action
    from auto_benchmark.papers.ingest import fetch_papers as implementation

    if not answers(ctx, Action.RESEARCH_INGEST, owner=owner, woken=woken):
        return None
    return implementation(ctx, web=web, endpoints=endpoints)


def screen_relevance(ctx: Context) -> int:
    """Judge which unread papers concern us; returns how many do."""
    from auto_benchmark.papers.ingest import screen_relevance as implementation

    return implementation(ctx)


def extract_techniques(ctx: Context, web: Web | None = None, endpoints: Endpoints | None = None) -> int:
    """Note techniques and gains of screened papers; returns how many papers were read."""
    from auto_benchmark.papers.ingest import extract_techniques as implementation

    return implementation(ctx, web=web, endpoints=endpoints)


def assess_applicability(ctx: Context, web: Web | None = None, endpoints: Endpoints | None = None) -> dict[str, int]:
    """Decide what is done with every read paper: disposition -> number of papers."""
    from auto_benchmark.papers.ingest import assess_applicability as implementation

    return implementation(ctx, web=web, endpoints=endpoints)


def write_research_log(ctx: Context) -> str:
    """Render ``research_log.md``; returns its path relative to the project's home."""
    from auto_benchmark.papers.ingest import write_research_log as implementation

    return implementation(ctx)


def generate_hypotheses(ctx: Context, web: Web | None = None) -> list[str]:
    """Queue a hypothesis per mapped technique; returns ids of new hypotheses."""
    from auto_benchmark.papers.ingest import generate_hypotheses as implementation

    return implementation(ctx, web=web)
