"""A competitor's public report becomes candidate experiments; a competitor without one becomes an escalation."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from auto_benchmark.db.repositories import hypotheses, records
from auto_benchmark.errors import InputError
from auto_benchmark.http.opener import http_opener
from auto_benchmark.hypotheses.from_paper import REPORT
from auto_benchmark.kinds import LogKind
from auto_benchmark.papers.hypotheses import queue_technique, target_of
from auto_benchmark.papers.rules import make_reader
from auto_benchmark.project.configuration import load_optional, project_directory, shown
from auto_benchmark.project.context import Context
from auto_benchmark.project.current_config import base_config
from auto_benchmark.registry.research_config import ResearchConfig
from auto_benchmark.research.applicability import Applicability
from auto_benchmark.research.assessment import AssessedTechnique, Assessment, Disposition
from auto_benchmark.research.competitor_diff import Detail, ReportDifference, details_of, differences
from auto_benchmark.research.discount import Discount
from auto_benchmark.research.impact import Impact, priority_of
from auto_benchmark.research.paper import Paper
from auto_benchmark.research.relevance import Relevance
from auto_benchmark.research.techniques import TechniqueMatcher
from auto_benchmark.research.text import storable
from auto_benchmark.sources.papers.articles import article_text
from auto_benchmark.sources.papers.source import SourceFailed, SourceFault
from auto_benchmark.sources.papers.web import Web

LARGEST_REPORT = 4 * 2**20
NOTHING_CLAIMED = Discount(1.0, "a competitor's system has it; nothing is claimed for it alone")


def review_reports(ctx: Context, *, web: Web | None = None) -> dict[str, Any]:
    """Read every report that ``research_config.yaml`` names and compare it with our architecture.

    Returns:
        Competitor -> what :func:`diff_report` told, or why its report could not be read.
    """
    declared = load_optional(ResearchConfig, project_directory(ctx.settings, ctx.project) / "research_config.yaml")
    told: dict[str, Any] = {}
    for competitor, source in declared.competitor_reports.items():
        try:
            told[competitor] = review(ctx, competitor, source, web=web)
        except (InputError, SourceFailed) as failed:
            ctx.say(f"report of {competitor}: {failed}")
            told[competitor] = f"not read: {failed}"[:300]
    return told


def review(ctx: Context, competitor: str, source: str | None, *, web: Web | None = None) -> dict[str, Any]:
    """Read one report and compare it; without a source people are asked.

    Raises:
        InputError: a file that does not exist or is not text.
        SourceFailed: a URL that cannot be reached.
    """
    return diff_report(ctx, competitor, _report(ctx, source, web) if source else None, url=source)


def declared_report(ctx: Context, competitor: str) -> str | None:
    """Where the configuration says that a competitor's report is; None where it says nothing."""
    file = project_directory(ctx.settings, ctx.project) / "research_config.yaml"
    return load_optional(ResearchConfig, file).competitor_reports.get(competitor)


def _report(ctx: Context, source: str, web: Web | None) -> str:
    """The text of a report: HTML without its navigation, Markdown and plain text as they are."""
    if source.startswith(("http://", "https://")):
        opener = http_opener(ctx.settings.private_hosts)
        asks = replace(web or Web(opener=opener, contact=ctx.settings.contact), given_up={})
        answer = asks.get(source, accept="text/html, text/markdown, text/plain;q=0.9")
        if answer.status != 200:
            raise SourceFailed(SourceFault.UNREACHABLE, f"{source} answers {answer.status}")
        content = answer.content
    else:
        path = project_directory(ctx.settings, ctx.project) / Path(source).expanduser()
        try:
            content = path.read_bytes()[:LARGEST_REPORT]
        except OSError as error:
            raise InputError(f"{shown(path)}: cannot be read: {error.strerror or error}") from None
    if content[:4] == b"%PDF" or b"\0" in content[:4096]:
        raise InputError(f"{source} is not text; give its HTML, Markdown or LaTeX")
    text = content.decode("utf-8", "replace")
    return article_text(content) if "<html" in text[:2000].lower() or "<body" in text.lower() else storable(text)


def diff_report(ctx: Context, competitor: str, text: str | None, *, url: str | None = None) -> dict[str, Any]:
    """Compare a competitor's technical report or README with our architecture and queue what we can try.

    Args:
        ctx: the project.
        competitor: its name on the boards.
        text: the report; None when no public source is known.
        url: where it was found.

    Returns:
        ``{"competitor", "details", "differences", "hypotheses", "escalated"}``: what the report states and what of it
        is not ours, each with its sentence; new ids; whether people are asked.
    """
    solution = ctx.bench.solution.solution
    reader = make_reader(ctx.settings, ctx.project)
    details = details_of(competitor, text, reader.matcher) if text else []
    found = differences(details, solution.architecture, solution.techniques)
    made: list[str] = []
    with ctx.sessions.begin() as session:
        if not details:
            _ask_people(ctx, session, competitor, url)
            return _told(competitor, [], [], [], escalated=True)
        base = base_config(ctx, session).candidate
        for difference in (d for d in found if d.patch is not None):
            read, technique = _as_assessment(competitor, url, difference, reader.matcher)
            queued = queue_technique(
                ctx, session, read, technique, target_of(ctx, session), NOTHING_CLAIMED, base
            )  # fmt: skip
            if queued is not None and queued[1]:
                made.append(queued[0])
        hypotheses.trim(session=session, project=ctx.project)
        told = _told(competitor, details, found, made, escalated=False)
        version = hashlib.sha256((text or "").encode("utf-8", "replace")).hexdigest()[:12]
        records.log(
            session=session, project=ctx.project, key=f"competitor/{competitor}/{url or ''}/{version}"[:300],
            kind=LogKind.COMPETITOR_DIFF, subject=competitor,
            reason=f"{len(details)} details of {competitor}, {len(found)} of them not ours",
            inputs={"url": url, "differences": told["differences"][:100], "hypotheses": made},
        )  # fmt: skip
    return told


def _told(
    competitor: str, details: Sequence[Detail], found: Sequence[ReportDifference], made: list[str], *, escalated: bool
) -> dict[str, Any]:
    return {
        "competitor": competitor,
        "details": [{"name": d.name, "value": d.value, "sentence": d.sentence} for d in details],
        "differences": [
            {"name": d.detail.name, "theirs": d.detail.value, "ours": d.ours, "patch": d.patch} for d in found
        ],
        "hypotheses": made,
        "escalated": escalated,
    }


def _ask_people(ctx: Context, session: Any, competitor: str, url: str | None) -> None:
    where = f"{url} states no detail of its system" if url else "no public report or code is known"
    records.escalate(
        session=session, project=ctx.project, key=f"competitor/{competitor}",
        title=f"{competitor}'s architecture cannot be read from public sources",
        brief=f"## What is wanted\nWhat {competitor} does differently; {where}.\n\n"
        "## How to go on\nName its report, README or article under `competitor_reports` in research_config.yaml, or run "
        f"`auto-benchmark research competitor {competitor!r} REPORT`. Or resolve the escalation with a reason.",
        inputs={"competitor": competitor, "url": url},
    )  # fmt: skip


def _as_assessment(
    competitor: str, url: str | None, difference: ReportDifference, matcher: TechniqueMatcher
) -> tuple[Assessment, AssessedTechnique]:
    known = matcher.by_id[str(difference.detail.technique)]
    technique = AssessedTechnique(
        known.id, known.name, known.name, known.kind, difference.detail.sentence, Applicability.CONFIGURATION,
        known.effort, Impact.LOW, None, priority_of(Impact.LOW, known.effort), difference.patch,
    )  # fmt: skip
    paper = Paper(f"{REPORT}{competitor}", f"{competitor}'s report", "", "competitor", url)
    read = Assessment(paper, Relevance(True, "a competitor's report"), (technique,), (), Disposition.HYPOTHESIS, "")
    return read, technique
