"""Assessed papers become hypotheses or escalations; tested ones teach what claims are worth."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

from sqlalchemy.orm import Session

from auto_benchmark.boards.standing import search_focus
from auto_benchmark.contract.trial import config_hash
from auto_benchmark.db.repositories import hypotheses, papers, records
from auto_benchmark.experiments.search.gain import search_gain
from auto_benchmark.hypotheses.from_paper import HypothesisTarget, brief_of, estimated_gain, hypothesis_of
from auto_benchmark.kinds import LogKind
from auto_benchmark.project.context import Context
from auto_benchmark.project.current_config import base_config
from auto_benchmark.promotion.production import ProductionCandidate
from auto_benchmark.research.assessment import AssessedTechnique, Assessment, Disposition
from auto_benchmark.research.discount import Discount, PastClaim, discount
from auto_benchmark.research.log import cited
from auto_benchmark.research.record import HypothesisLink, PaperRecord, PaperStage

PURSUED = (Disposition.HYPOTHESIS, Disposition.ESCALATION)
"""What is done with papers that goes beyond a note in the log."""
MOST_PER_PAPER = 3
MOST_PAPERS = 5000


def act(
    ctx: Context, session: Session, waiting: Sequence[PaperRecord], read: Mapping[str, Assessment]
) -> tuple[list[PaperRecord], list[str]]:
    """Queue hypotheses of assessed papers, escalate what nothing maps.

    Args:
        ctx: the project.
        session: an open transaction.
        waiting: assessed papers.
        read: id of each paper whose disposition is :data:`PURSUED` -> what was read in it.

    Returns:
        The papers with what came of them, and ids of new hypotheses.
    """
    made: list[str] = []
    done: list[PaperRecord] = []
    proposing = [record for record in waiting if record.disposition == Disposition.HYPOTHESIS]
    if proposing:
        past = past_claims(ctx, session)
        target, base = target_of(ctx, session), base_config(ctx, session).candidate
        for record in sorted(proposing, key=lambda r: -(r.priority or 0.0)):
            links = _of_paper(ctx, session, read[record.id], target, base, past, made)
            _answer(ctx, session, record, links)
            done.append(_acted(record, links))
        hypotheses.trim(session=session, project=ctx.project)
    for record in (record for record in waiting if record.disposition != Disposition.HYPOTHESIS):
        if record.disposition == Disposition.ESCALATION:
            _escalate(ctx, session, read[record.id])
        done.append(_acted(record))
    return done, made


def _answer(ctx: Context, session: Session, record: PaperRecord, links: Sequence[HypothesisLink]) -> None:
    """Close the escalation of a paper that people were asked about and that is tried now."""
    queued = ", ".join(link.id for link in links) or "nothing: the configuration in use has the technique already"
    records.resolve(
        session=session, project=ctx.project, key=f"paper/{record.id}",
        resolution=f"{record.dossier.disposition_reason}; queued: {queued}",
    )  # fmt: skip


def past_claims(ctx: Context, session: Session) -> list[PastClaim]:
    """Claims of papers whose hypothesis was tried, with what it brought on the search split."""
    found = []
    for record in papers.listed(session=session, project=ctx.project, relevant=True, limit=MOST_PAPERS):
        for link in record.dossier.hypotheses or ():
            experiment = hypotheses.experiment_of(session=session, project=ctx.project, hypothesis_id=link.id)
            hypothesis = hypotheses.get(session=session, project=ctx.project, hypothesis_id=link.id)
            if experiment is None or hypothesis is None or not link.claimed:
                continue
            gain = search_gain(ctx, session, experiment, hypothesis.target_leaderboards[0])
            if gain is not None:
                found.append(PastClaim(record.paper.source, link.technique, link.claimed, gain))
    return found


def target_of(ctx: Context, session: Session) -> HypothesisTarget:
    """Where hypotheses want to improve: the board that the loop works on."""
    aim = search_focus(ctx, session)
    scores = [s for s in (aim.our_score, aim.rival_score) if s is not None]
    gap = None if aim.rival_score is None else aim.missing
    is_share = all(0 <= score <= 1 for score in scores)
    return HypothesisTarget(aim.board, aim.metric, aim.our_score, aim.higher_is_better, gap, is_share)


def _of_paper(
    ctx: Context, session: Session, read: Assessment, target: HypothesisTarget, base: ProductionCandidate,
    past: Sequence[PastClaim], made: list[str],
) -> list[HypothesisLink]:  # fmt: skip
    links = []
    mapped = sorted((t for t in read.distinct if t.patch is not None), key=lambda t: -t.priority)
    for technique in mapped[:MOST_PER_PAPER]:
        worth = discount(past, read.paper.source, str(technique.id))
        recorded = queue_technique(ctx, session, read, technique, target, worth, base)
        if recorded is None:
            continue
        hypothesis_id, new = recorded
        made += [hypothesis_id] if new else []
        claimed = estimated_gain(technique, target, Discount(1.0, ""))
        links.append(HypothesisLink(hypothesis_id, str(technique.id), claimed, worth.factor))
    return links


def queue_technique(
    ctx: Context, session: Session, read: Assessment, technique: AssessedTechnique, target: HypothesisTarget,
    worth: Discount, base: ProductionCandidate,
) -> tuple[str, bool] | None:  # fmt: skip
    """Queue one mapped technique; its hypothesis' id and whether it is new, None when the base already has it."""
    solution = ctx.bench.solution.solution
    params = solution.configured({**base.params, **(technique.patch or {})})
    if params == base.params:  # also where its knobs do nothing at the base's choice
        return None
    identity = config_hash(solution.name, params, ctx.bench.ref)
    hypothesis = hypothesis_of(read, technique, target, worth, base=base.params, config_hash=identity)
    if hypothesis is None:
        return None
    hypothesis = hypothesis.model_copy(update={"tree": base.tree})
    recorded, new = hypotheses.add(session=session, project=ctx.project, hypothesis=hypothesis)
    records.log(
        session=session, project=ctx.project, key=f"paper/{read.paper.id}/{technique.id}", kind=LogKind.PAPER_HYPOTHESIS,
        subject=recorded.id,
        reason=f"{cited(read.paper.id)} credits {technique.name}: "
        + (hypothesis.reason if new else f"the same change is {recorded.id} already ({recorded.status.value})"),
        inputs={"paper": read.paper.id, "technique": technique.id, "hypothesis": recorded.id},
    )  # fmt: skip
    return recorded.id, new


def _acted(record: PaperRecord, links: Sequence[HypothesisLink] = ()) -> PaperRecord:
    """The paper with the hypotheses that came of it, if its disposition asked for any."""
    return replace(record, stage=PaperStage.ACTED, dossier=replace(record.dossier, hypotheses=tuple(links)))


def _escalate(ctx: Context, session: Session, read: Assessment) -> None:
    records.escalate(
        session=session, project=ctx.project, key=f"paper/{read.paper.id}",
        title=f"{cited(read.paper.id)}: {read.disposition_reason}",
        brief=brief_of(read, ctx.bench.solution.solution.architecture),
        inputs={"paper": read.paper.id, "techniques": [t.name for t in read.distinct]},
    )  # fmt: skip
