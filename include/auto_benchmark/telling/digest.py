"""The weekly digest: what it says is collected here, and every section of it is declared here.

The file and Slack are made of the same sections.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, date, datetime, time, timedelta
from typing import Any

from sqlalchemy.orm import Session

from auto_benchmark import atomic
from auto_benchmark.boards.standing import positions
from auto_benchmark.db.repositories import board_history, hypotheses, papers, records
from auto_benchmark.experiments.search import conclusion as search_conclusion
from auto_benchmark.hypotheses.hypothesis import Hypothesis
from auto_benchmark.kinds import LogKind
from auto_benchmark.leaderboards.alert import Level
from auto_benchmark.project.context import Context
from auto_benchmark.reporting.html import page
from auto_benchmark.reporting.position import Position
from auto_benchmark.reporting.render import Safe, markdown, render
from auto_benchmark.research.log import citation_in

Facts = Mapping[str, Any]
"""What a digest is made of, as it is stored."""


@dataclass(frozen=True, slots=True)
class DigestSection:
    """One part of the digest.

    Attributes:
        title: its heading.
        lines: what it says, as plain text.
        in_file: the same for the file, where that differs.
        in_slack: whether Slack has it, too.
        empty: what it says without lines; '' where it is then left out.
        rest: words of the file for lines beyond ``most``.
    """

    title: str
    lines: Callable[[Facts], Sequence[str]]
    in_file: Callable[[Facts], Sequence[str]] | None = None
    in_slack: bool = True
    empty: str = ""
    most: int = 1000
    rest: str = ""


SECTIONS = (
    DigestSection(
        "Competitive Position",
        lambda facts: facts.get("lines", []),
        in_file=lambda facts: [Safe(f"{markdown(board)}{standing}") for board, standing in facts["standings"]],
        empty="No board has been read yet",
    ),
    DigestSection(
        "What Changed This Week",
        lambda facts: facts.get("changes", []),
        empty="Nothing changed: no place was lost or won on any board, nothing was promoted",
        most=12,
        rest="changes: reports/gap_matrix.md and the page Benchmark have all",
    ),
    DigestSection(
        "Next Actions (Automated)",
        lambda facts: facts.get("next_actions", []),
        empty="Nothing is queued: the next sweep searches",
        most=8,
        rest="in the queue: TECHNICAL_LOG.md has all, with their scores",
    ),
    DigestSection(
        "Experiments Run This Week",
        lambda facts: [", ".join(_counted(facts, "completed", "failed fast validation", "promoted"))],
        in_file=lambda facts: [
            Safe(" | ".join(_counted(facts, "experiments completed", "failed fast validation", "promoted")))
        ],
    ),
    DigestSection("Waiting for a Person", lambda facts: facts.get("escalations", [])),
    DigestSection(
        "Papers That No Knob Maps",
        lambda facts: facts.get("briefs", []),
        in_slack=False,
        most=5,
        rest="papers: `auto-benchmark hypothesis list` has all",
    ),
)
"""In the order of the digest."""


def _counted(facts: Facts, *words: str) -> list[str]:
    names = ("completed", "failed_validation", "promoted")
    return [f"{facts.get(name, 0)} {word}" for name, word in zip(names, words, strict=True)]


def render_digest(week: date, facts: Facts) -> str:
    """The digest as Markdown."""
    sections = [{"title": s.title, "lines": lines} for s in SECTIONS if (lines := _in_file(s, facts))]
    return render("sections.md.j2", week=week.isoformat(), sections=sections)


def _in_file(section: DigestSection, facts: Facts) -> list[str]:
    lines = list((section.in_file or section.lines)(facts)) or ([section.empty] if section.empty else [])
    beyond = len(lines) - section.most
    return [*lines[: section.most], *([f"… and {beyond} more {section.rest}"] if beyond > 0 else [])]


def in_slack(facts: Facts) -> list[tuple[str, list[str]]]:
    """The digest as titles and lines; whole, since Slack's messages are cut later."""
    found = []
    for section in SECTIONS:
        lines = list(section.lines(facts)) or ([section.empty.partition(":")[0]] if section.empty else [])
        if section.in_slack and lines:
            found.append((section.title.capitalize(), lines))
    return found


def week_of(moment: datetime) -> date:
    """The Monday of a moment's week."""
    return moment.date() - timedelta(days=moment.weekday())


def write_digest(ctx: Context, week: date) -> dict[str, Any]:
    """Write one week's digest to the database and to ``reports/``; a second run replaces the first.

    Returns:
        ``{"week", "path"}``.
    """
    start = datetime.combine(week, time(), UTC)
    with ctx.sessions.begin() as session:
        facts = _collected(ctx, session, start, start + timedelta(days=7))
        text = render_digest(week, facts)
        records.save_digest(session=session, project=ctx.project, week=week, markdown=text, facts=facts)
    path = ctx.home / "reports" / f"digest-{week.isoformat()}.md"
    atomic.write_text(path, text)
    atomic.write_text(path.with_suffix(".html"), page(f"Benchmark Digest {week.isoformat()}", text))
    return {"week": week.isoformat(), "path": str(path.relative_to(ctx.home))}


def write_digest_of(ctx: Context, day: str) -> dict[str, Any]:
    """:func:`write_digest` of the week that ``day`` (ISO) lies in."""
    moment = datetime.combine(date.fromisoformat(day), time(), UTC)
    return write_digest(ctx, week_of(moment))


def _collected(ctx: Context, session: Session, start: datetime, end: datetime) -> dict[str, Any]:
    logged = [
        e for e in records.logged(session=session, project=ctx.project, since=start, limit=1000) if e.created_at < end
    ]
    moved = board_history.changes_since(session=session, project=ctx.project, after=start, before=end)
    changes = [
        f"{'Promoted' if e.kind == 'promotion' else 'New challenger'} {e.subject}"
        f"{_from_paper(ctx, session, e.subject)}: {e.reason}"
        for e in logged
        if e.kind in {"promotion", "challenger"}
    ]
    changes += papers_read(logged)
    changes += [f"{d.board}: {line.text}" for d in moved for line in d.alerts if line.level is Level.ALERT]
    if any(e.kind is LogKind.NOTHING_FOUND for e in logged) and (said := search_conclusion.latest(ctx, session)):
        changes.append(said)
    outcomes = [e.inputs.get("outcome") for e in logged if e.kind is LogKind.REJECTION]
    promoted = sum(e.kind is LogKind.PROMOTION for e in logged)
    challengers = sum(e.kind is LogKind.CHALLENGER for e in logged)
    failed = outcomes.count("failed_validation")
    queue = hypotheses.queue(session=session, project=ctx.project)
    return facts_of(
        positions(ctx, session), changes=changes, next_actions=[_queued(h) for h in queue],
        completed=promoted + challengers + len(outcomes) - failed, failed_validation=failed, promoted=promoted,
        escalations=[e.title for e in records.open_escalations(session=session, project=ctx.project)],
        briefs=[b.line for b in papers.briefs(session=session, project=ctx.project)],
    )  # fmt: skip


def facts_of(positions: Sequence[Position], **rest: Any) -> dict[str, Any]:
    """What sections are made of: where we stand, and everything else under its name."""
    return {
        "positions": [{"board": p.board, "rank": p.rank, "score": p.score} for p in positions],
        "standings": [[p.board, p.standing] for p in positions],
        "lines": [p.line for p in positions],
        **rest,
    }


def papers_read(logged: Sequence[records.LogEntry]) -> list[str]:
    """What the research feed brought, from the week's rows: one line, and one per source that kept failing."""
    readings = [e for e in logged if e.kind is LogKind.RESEARCH_INGEST]
    if not readings:
        return []
    made = [e.subject for e in logged if e.kind is LogKind.PAPER_HYPOTHESIS]
    new = sum(int(e.inputs.get("new", 0)) for e in readings)
    hypotheses_ = f"; hypotheses {', '.join(dict.fromkeys(made))}" if made else "; no new hypothesis"
    failing = [name for name, told in readings[0].inputs.get("sources", {}).items() if not isinstance(told, int)]
    dead = f"; without an answer: {', '.join(failing)}" if failing else ""
    return [f"Papers: {new} new{hypotheses_}{dead}"]


def _from_paper(ctx: Context, session: Session, hypothesis_id: str) -> str:
    """`` (from arXiv:2602.01234)`` for a hypothesis that a paper gave."""
    found = hypotheses.get(session=session, project=ctx.project, hypothesis_id=hypothesis_id)
    paper = citation_in(found.source) if found else None
    return f" (from {paper})" if paper else ""


def _queued(hypothesis: Hypothesis) -> str:
    boards = ", ".join(hypothesis.target_leaderboards)
    gain = f"{hypothesis.implementation.estimated_gain:+.3f}"
    return f"Experiment {hypothesis.id} ({hypothesis.title}) {hypothesis.status} for {boards} — est. gain {gain}"
