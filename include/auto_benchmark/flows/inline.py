"""The flows as functions: each runs one inline and returns what a reader of the command line wants to know of it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from auto_benchmark.construction.steps import is_due
from auto_benchmark.flows import (
    benchmark_construction,
    experiment_sweep,
    experiment_sweep_urgent,
    leaderboard_scrape,
    production_defense,
    report_digest,
    research_ingest,
)
from auto_benchmark.flows.run import RUN_ID, run_flow
from auto_benchmark.papers.feed import PaperFeed
from auto_benchmark.project.context import Context


def scrape(ctx: Context, *, cycle: str | None = None) -> dict[str, Any]:
    """``leaderboard_scrape``.

    Args:
        ctx: the project.
        cycle: name of the cycle that ends with this scrape; where each board stands is then written down.

    Returns:
        ``{"boards": [...], "triggers": [...], "unclaimed_rank_drops": n}``.
    """
    (run,) = run_flow(ctx, leaderboard_scrape.FLOW, conf={"cycle": cycle})
    return {"boards": run.result("scrape_board") or [], **run.results["update_landscape"]}


def sweep(
    ctx: Context, *, urgent: bool = False, run_id: str = RUN_ID, conf: Mapping[str, Any] | None = None
) -> dict[str, Any]:
    """``experiment_sweep`` with the experiments that it goes on to, or ``experiment_sweep_urgent``.

    Returns:
        ``{"experiments": [...], "submissions": [...]}``.
    """
    flow = (experiment_sweep_urgent if urgent else experiment_sweep).FLOW
    runs = run_flow(ctx, flow, run_id=run_id, conf=conf)
    return {
        "experiments": [run.results["finish"] for run in runs if "finish" in run.results],
        "submissions": [sent for run in runs for sent in run.result("submit") or []],
    }


def defend(ctx: Context) -> dict[str, Any]:
    """``production_defense``.

    Returns:
        ``{"mode", "alarms", "regressions", "entrants", "promises"}``; mode ``attack`` leaves production alone.
    """
    (run,) = run_flow(ctx, production_defense.FLOW)
    return {
        "mode": "defense" if run.result("is_leading") else "attack",
        "alarms": run.result("detect") or [],
        "regressions": run.result("respond") or [],
        "entrants": run.result("watch_entrants") or [],
        "promises": run.results["check_promises"],
    }


def read_papers(ctx: Context, **given: Any) -> dict[str, Any]:
    """``research_ingest``.

    Args:
        ctx: the project.
        given: ``web`` and ``endpoints``, where they are not the public services'.

    Returns:
        ``{"new", "updated", "sources", "relevant", "dispositions", "hypotheses"}``.
    """
    (run,) = run_flow(ctx, research_ingest.FLOW, given=given)
    return {
        **run.results["fetch_papers"],
        "relevant": run.results["screen_relevance"],
        "dispositions": run.results["assess_applicability"],
        "hypotheses": run.results["generate_hypotheses"],
    }


def read_due_papers(ctx: Context, feed: PaperFeed) -> dict[str, Any] | None:
    """:func:`read_papers` when papers are due; None when they are not, or no source is declared."""
    web = feed.due(ctx)
    return None if web is None else read_papers(ctx, web=web, endpoints=feed.endpoints)


def report(ctx: Context) -> dict[str, Any]:
    """``report_digest`` of the present week: ``{"week", "path"}``."""
    (run,) = run_flow(ctx, report_digest.FLOW)
    return dict(run.results["write_digest"])


def construct_due(ctx: Context) -> dict[str, Any] | None:
    """``benchmark_construction`` where a saturated board waits for it: ``{"board", "benchmark", "measured"}``, or None.

    A run that was killed is gone on with. Raises InputError where the request cannot be built; it is due again then.
    """
    if not is_due(ctx, RUN_ID):
        return None
    (run,) = run_flow(ctx, benchmark_construction.FLOW)
    found: dict[str, Any] | None = run.result("adopt")
    return found
