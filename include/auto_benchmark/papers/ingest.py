"""What ``research_ingest`` does: fetch papers, screen, extract, assess, log, propose hypotheses.

Every step takes the papers of one stage to the next, whatever an earlier step returned, so that each may run twice or
after a crash: papers and the marks of their sources are written in one transaction. A text is read once, by the step
that meets it first; later steps work with its reading.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import replace
from datetime import date
from typing import Any

from sqlalchemy.orm import Session

from auto_benchmark import atomic
from auto_benchmark.db.repositories import hypotheses, locks, papers, records
from auto_benchmark.http.opener import http_opener
from auto_benchmark.kinds import LogKind
from auto_benchmark.papers.competitor_reports import review_reports
from auto_benchmark.papers.fetched import count_citations, fetch_bodies, last_marks, second_reading, store
from auto_benchmark.papers.hypotheses import PURSUED, act
from auto_benchmark.papers.rules import Rules
from auto_benchmark.project.configuration import load_optional, project_directory
from auto_benchmark.project.context import Context
from auto_benchmark.registry.research_config import ResearchConfig
from auto_benchmark.reporting.research_log import render_research_log
from auto_benchmark.research.assessment import Disposition
from auto_benchmark.research.log import LONGEST_TITLE, Skipped, cited, entry_of
from auto_benchmark.research.record import PaperRecord, PaperStage
from auto_benchmark.sources.papers.collect import Endpoints, collect, sources_of
from auto_benchmark.sources.papers.web import Web

BATCH = 100
"""Papers of a transaction: as many are read again where a step is killed."""
LOG = "research_log.md"
MOST_UNMAPPED = 5000
MOST_LOGGED, MOST_SKIPPED = 500, 100
"""Papers of the log: those that concern us, and those that do not."""


def fetch_papers(
    ctx: Context, *, web: Web | None = None, endpoints: Endpoints | None = None, backfill: bool = False
) -> dict[str, Any]:
    """Read every source from its mark and store what is new; one dead source never stops the others.

    Args:
        ctx: the project.
        web: does the calls.
        endpoints: where the services are.
        backfill: forget the marks and read everything from the beginning; known papers stay as they are.

    Returns:
        ``{"new", "updated", "sources": {key: papers or fault}}``.
    """
    opener = http_opener(ctx.settings.private_hosts)
    web = replace(web or Web(opener=opener, contact=ctx.settings.contact), given_up={})  # a dead host costs one wait
    declared = load_optional(ResearchConfig, project_directory(ctx.settings, ctx.project) / "research_config.yaml")
    with ctx.sessions.begin() as guard:  # one ingest at a time in the whole system: sources count calls per address
        locks.lock(session=guard, project="", what="papers")
        with ctx.sessions() as session:
            marks = {} if backfill else last_marks(session, ctx.project)
        found = collect(sources_of(declared.research_sources, web, endpoints), marks, ctx.say)
        with ctx.sessions.begin() as session:
            told = store(ctx, session, found, marks)
        web.pace.settle()
    return told


def screen_relevance(ctx: Context) -> int:
    """Read what sources delivered and judge which papers concern us, with the reason; returns how many do."""
    rules = Rules(ctx.settings, ctx.project)
    _read_older(ctx, rules)

    def step(_: Session, fetched: Sequence[PaperRecord]) -> list[PaperRecord]:
        return [rules.screened(record) for record in fetched]

    return sum(bool(record.relevant) for record in _advance(ctx, PaperStage.FETCHED, step))


def extract_techniques(ctx: Context, *, web: Web | None = None, endpoints: Endpoints | None = None) -> int:
    """Note credited techniques and reported gains of every screened paper; returns how many papers were read.

    Relevant papers of arXiv are read whole where their HTML or LaTeX can be had; otherwise their abstract must do.
    """
    fetch_bodies(ctx, web=web, endpoints=endpoints)
    rules = Rules(ctx.settings, ctx.project)

    def step(session: Session, found: Sequence[PaperRecord]) -> list[PaperRecord]:
        _propose_names(ctx, session, rules, found)
        return [rules.extracted(record) for record in second_reading(ctx, rules, found)]

    return len(_advance(ctx, PaperStage.SCREENED, step))


def assess_applicability(
    ctx: Context, *, web: Web | None = None, endpoints: Endpoints | None = None
) -> dict[str, int]:
    """Rate every read paper and decide what is done with it; returns disposition -> number of papers.

    Its priority is impact over effort, with a little for being cited (``research.impact.with_attention``).
    """
    count_citations(ctx, web=web, endpoints=endpoints)
    rules = Rules(ctx.settings, ctx.project)

    def step(_: Session, read: Sequence[PaperRecord]) -> list[PaperRecord]:
        return [rules.assessed(record) for record in read]

    return Counter(str(record.disposition) for record in _advance(ctx, PaperStage.EXTRACTED, step))


def write_research_log(ctx: Context) -> str:
    """Render ``research_log.md`` of the newest papers; returns its path relative to the project's home."""
    rules = Rules(ctx.settings, ctx.project)
    with ctx.sessions() as session:
        relevant = papers.listed(session=session, project=ctx.project, relevant=True, limit=MOST_LOGGED)
        others = papers.listed(session=session, project=ctx.project, relevant=False, limit=MOST_SKIPPED)
        entries = [
            entry_of(
                rules.assessment(record), _day(record), hypotheses=[link.id for link in record.dossier.hypotheses or ()],
                outcome=_outcome(session, ctx.project, record),
            )
            for record in relevant
        ]  # fmt: skip
    skipped = [Skipped(_day(r), r.paper.title[:LONGEST_TITLE], cited(r.id), r.reason) for r in others]
    newest_first = sorted(entries, key=lambda e: e.day, reverse=True)  # stable: within a day by priority
    text = render_research_log(newest_first, sorted(skipped, key=lambda s: s.day, reverse=True))
    atomic.write_text(ctx.home / LOG, text)
    return LOG


def generate_hypotheses(ctx: Context, *, web: Web | None = None) -> list[str]:
    """Queue a hypothesis per mapped technique and escalate what nothing maps; returns ids of new hypotheses.

    Reports of competitors that the configuration names count as papers here: what they have and we do not is tried.
    """
    rules = Rules(ctx.settings, ctx.project)
    with ctx.sessions.begin() as session:
        waiting = papers.take(session=session, project=ctx.project, stage=PaperStage.ASSESSED)
        waiting += _mapped_by_now(ctx, session, rules)
        read = {record.id: rules.assessment(record) for record in waiting if record.disposition in PURSUED}
        done, made = act(ctx, session, waiting, read)
        papers.upsert(session=session, project=ctx.project, papers=done)
    for told in review_reports(ctx, web=web).values():
        made += told["hypotheses"] if isinstance(told, dict) else []
    write_research_log(ctx)
    return made


Step = Callable[[Session, Sequence[PaperRecord]], list[PaperRecord]]
"""Takes papers of one stage; returns the same papers at a later one."""


def _advance(ctx: Context, stage: PaperStage, step: Step) -> list[PaperRecord]:
    """Take every paper of a stage through a step, each batch in a transaction of its own; returns the papers."""
    moved: list[PaperRecord] = []
    while True:
        with ctx.sessions.begin() as session:
            batch = papers.take(session=session, project=ctx.project, stage=stage, limit=BATCH)
            if not batch:
                return moved
            done = step(session, batch)
            papers.upsert(session=session, project=ctx.project, papers=done)
        moved += done


def _read_older(ctx: Context, rules: Rules) -> None:
    """Read relevant papers of versions that kept no readings, once."""
    while True:
        with ctx.sessions.begin() as session:
            batch = papers.take_unread(session=session, project=ctx.project, limit=BATCH)
            if not batch:
                return
            read = [replace(record, reading=rules.reading(record)) for record in batch]
            papers.upsert(session=session, project=ctx.project, papers=read)


def _mapped_by_now(ctx: Context, session: Session, rules: Rules) -> list[PaperRecord]:
    """Papers that no knob mapped and for which the solution has got knobs since, assessed anew."""
    unmapped = papers.take_unmapped(session=session, project=ctx.project, limit=MOST_UNMAPPED)
    anew = [rules.assessed(record) for record in unmapped]
    return [record for record in anew if record.disposition == Disposition.HYPOTHESIS]


def _day(record: PaperRecord) -> date:
    return record.dossier.read_on.date() if record.dossier.read_on else date.min


def _outcome(session: Session, project: str, record: PaperRecord) -> str:
    """What came of the hypotheses of a paper, as far as it is decided."""
    told = []
    for link in record.dossier.hypotheses or ():
        found = hypotheses.get(session=session, project=project, hypothesis_id=link.id)
        if found is not None and not found.status.is_open:
            told.append(f"{found.id} {found.status.value}: {found.reason}")
    return "; ".join(told)


def _propose_names(ctx: Context, session: Session, rules: Rules, screened: Sequence[PaperRecord]) -> None:
    """Log the unknown names that relevant papers credit: a person adds them to the catalogue or does not.

    Such names come from title and abstract alone, so that the screen's reading has them all; what a second reader finds
    later is not proposed.
    """
    for record in (record for record in screened if record.relevant):
        for technique in (record.reading or rules.reading(record)).techniques:
            if technique.id is None:
                records.log(
                    session=session, project=ctx.project, key=f"technique/{technique.name.casefold()[:120]}",
                    kind=LogKind.TECHNIQUE_PROPOSAL, subject=technique.name[:200],
                    reason=f"{record.id} credits a technique that technique_catalog.yaml does not know "
                    f"({technique.kind.value}): {' '.join(technique.sentence.split())[:300]}",
                    inputs={"paper": record.id, "kind": technique.kind.value},
                )  # fmt: skip
