"""From one stage of a paper to the next: what each step of an ingest adds to its record."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from auto_benchmark.research.assessment import PaperReading, assess
from auto_benchmark.research.dossier import HypothesisLink
from auto_benchmark.research.impact import with_attention
from auto_benchmark.research.record import PaperRecord, PaperStage


def screened(record: PaperRecord, reading: PaperReading) -> PaperRecord:
    """The paper with the verdict on what its source delivered."""
    relevance = reading.relevance
    return replace(
        record, stage=PaperStage.SCREENED, reading=reading, relevant=relevance.relevant, reason=relevance.reason
    )


def extracted(record: PaperRecord, reading: PaperReading) -> PaperRecord:
    """The paper with the techniques and gains of everything that could be had of it."""
    named = {t.name: (t.kind.value, t.sentence) for t in reversed(reading.techniques)}
    return replace(record, stage=PaperStage.EXTRACTED, reading=reading, techniques=named)


def assessed(record: PaperRecord, reading: PaperReading) -> PaperRecord:
    """The paper with its priority and what is to be done with it."""
    judged = assess(record.paper, reading)
    citations = record.dossier.citations
    priority = with_attention(judged.priority, citations.count if citations else None, _age_years(record))
    dossier = replace(record.dossier, disposition_reason=judged.disposition_reason)
    return replace(
        record, stage=PaperStage.ASSESSED, reading=reading, priority=priority, disposition=judged.disposition.value,
        dossier=dossier,
    )  # fmt: skip


def acted(record: PaperRecord, links: Sequence[HypothesisLink] = ()) -> PaperRecord:
    """The paper with the hypotheses that came of it, if its disposition asked for any."""
    return replace(record, stage=PaperStage.ACTED, dossier=replace(record.dossier, hypotheses=tuple(links)))


def _age_years(record: PaperRecord) -> float:
    read = record.dossier.read_on
    return (read - record.published_at).days / 365 if read and record.published_at else 1.0
