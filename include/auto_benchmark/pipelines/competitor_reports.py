"""A competitor's public report becomes candidate experiments; a competitor without one becomes an escalation."""

from __future__ import annotations

from typing import Any

from auto_benchmark.db.repositories import records
from auto_benchmark.pipelines.context import Context
from auto_benchmark.pipelines.focus import base_config
from auto_benchmark.pipelines.paper_hypotheses import queue_technique, target_of
from auto_benchmark.pipelines.research_extract import make_reader
from auto_benchmark.pipelines.search import trim_queue
from auto_benchmark.research.applicability import Applicability
from auto_benchmark.research.assessment import AssessedTechnique, Assessment, Disposition
from auto_benchmark.research.competitor_diff import Difference, details_of, differences
from auto_benchmark.research.discount import Discount
from auto_benchmark.research.impact import Impact, priority_of
from auto_benchmark.research.paper import Paper
from auto_benchmark.research.relevance import Relevance
from auto_benchmark.research.techniques import TechniqueMatcher

NOTHING_CLAIMED = Discount(1.0, "a competitor's system has it; nothing is claimed for it alone")


def diff_report(ctx: Context, competitor: str, text: str | None, *, url: str | None = None) -> dict[str, Any]:
    """Compare a competitor's technical report or README with our architecture and queue what we can try.

    Args:
        ctx: the project.
        competitor: its name on the boards.
        text: the report; None when no public source is known.
        url: where it was found.

    Returns:
        ``{"details", "differences", "hypotheses", "escalated"}``: counts, new ids, whether people are asked.
    """
    solution = ctx.bench.solution.solution
    reader = make_reader(ctx.settings, ctx.project)
    details = details_of(competitor, text, reader.matcher) if text else []
    found = differences(details, solution.architecture, solution.techniques)
    made: list[str] = []
    with ctx.sessions.begin() as session:
        if not details:
            _ask_people(ctx, session, competitor, url)
            return {"details": 0, "differences": 0, "hypotheses": [], "escalated": True}
        base = base_config(ctx, session).candidate.params
        for difference in (d for d in found if d.patch is not None):
            read, technique = _as_assessment(competitor, url, difference, reader.matcher)
            queued = queue_technique(
                ctx, session, read, technique, target_of(ctx, session), NOTHING_CLAIMED, base
            )  # fmt: skip
            if queued is not None and queued[1]:
                made.append(queued[0])
        trim_queue(ctx, session)
        table = [{"name": d.detail.name, "theirs": d.detail.value, "ours": d.ours, "patch": d.patch} for d in found]
        records.log(
            session=session, project=ctx.project, key=f"competitor/{competitor}/{url or ''}", kind="competitor_diff",
            subject=competitor, reason=f"{len(details)} details of {competitor}, {len(found)} of them not ours",
            inputs={"url": url, "differences": table[:100], "hypotheses": made},
        )  # fmt: skip
    return {"details": len(details), "differences": len(found), "hypotheses": made, "escalated": False}


def _ask_people(ctx: Context, session: Any, competitor: str, url: str | None) -> None:
    where = f"{url} states no detail of its system" if url else "no public report or code is known"
    records.escalate(
        session=session, project=ctx.project, key=f"competitor/{competitor}",
        title=f"{competitor}'s architecture cannot be read from public sources",
        brief=f"## What is wanted\nWhat {competitor} does differently; {where}.\n\n"
        "## How to go on\nAdd its blog to research_config.yaml, or hand its report to "
        "`pipelines.competitor_reports.diff_report`. Or resolve the escalation with a reason.",
        inputs={"competitor": competitor, "url": url},
    )  # fmt: skip


def _as_assessment(
    competitor: str, url: str | None, difference: Difference, matcher: TechniqueMatcher
) -> tuple[Assessment, AssessedTechnique]:
    known = matcher.by_id[str(difference.detail.technique)]
    technique = AssessedTechnique(
        known.id, known.name, known.name, known.kind, difference.detail.sentence, Applicability.CONFIGURATION,
        known.effort, Impact.LOW, None, priority_of(Impact.LOW, known.effort), difference.patch,
    )  # fmt: skip
    paper = Paper(f"report:{competitor}", f"{competitor}'s report", "", "competitor", url)
    read = Assessment(paper, Relevance(True, "a competitor's report"), (technique,), (), Disposition.HYPOTHESIS, "")
    return read, technique
