"""Papers between the database's rows and the rules' shape."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, replace
from datetime import datetime
from typing import Any

from auto_benchmark.papers.extract import as_json
from auto_benchmark.registry.technique_catalog import TechniqueKind
from auto_benchmark.research.assessment import Assessment, Findings, Reader
from auto_benchmark.research.dedupe import keys_of
from auto_benchmark.research.gains import Gain, Unit
from auto_benchmark.research.impact import with_attention
from auto_benchmark.research.paper import Paper
from auto_benchmark.research.record import PaperRecord
from auto_benchmark.research.result_table import ResultTable
from auto_benchmark.research.techniques import FoundTechnique

LONGEST_FULL_TEXT = 100_000
"""Characters of a body that are kept."""


def row_of(paper: Paper, read_on: datetime) -> PaperRecord:
    """A paper that nobody has judged yet."""
    kept = {
        "version": paper.version,
        "doi": paper.doi,
        "arxiv_id": paper.arxiv_id,
        "updated": paper.updated.isoformat() if paper.updated else None,
        "withdrawn": paper.withdrawn,
        "full_text": paper.full_text[:LONGEST_FULL_TEXT],
        "tables": [asdict(table) for table in paper.tables],
    }
    assessment = {"paper": kept, "keys": keys_of(paper), "read_on": read_on.isoformat()}
    return PaperRecord(
        id=paper.id, source=paper.source, title=paper.title, abstract=paper.abstract, url=paper.url,
        published_at=paper.published, assessment=assessment,
    )  # fmt: skip


def paper_of(record: PaperRecord) -> Paper:
    """The paper that a row was made of."""
    kept: Mapping[str, Any] = record.assessment.get("paper", {})
    updated = kept.get("updated")
    return Paper(
        record.id, record.title, record.abstract, record.source, record.url, record.published_at,
        datetime.fromisoformat(updated) if updated else None, kept.get("version", 1), kept.get("doi"),
        kept.get("arxiv_id"), kept.get("full_text", ""), kept.get("withdrawn", False),
        tuple(_table(told) for told in kept.get("tables", [])),
    )  # fmt: skip


def _table(told: Mapping[str, Any]) -> ResultTable:
    rows = tuple(tuple(row) for row in told["rows"])
    return ResultTable(told["label"], told["caption"], tuple(told["columns"]), rows)


def findings_of(record: PaperRecord) -> Findings:
    """What the second reader found, if one was asked."""
    kept: Mapping[str, Any] = record.assessment.get("second_reader", {})
    techniques = [
        FoundTechnique(t["id"], t["name"], t["words"], TechniqueKind(t["kind"]), t["sentence"], t.get("where", ""))
        for t in kept.get("techniques", [])
    ]
    gains = [Gain(**{**g, "unit": Unit(g["unit"])}) for g in kept.get("gains", [])]
    return Findings(tuple(techniques), tuple(gains))


def with_findings(record: PaperRecord, found: Findings) -> PaperRecord:
    """The row with what the second reader found."""
    kept = {"techniques": [asdict(t) for t in found.techniques], "gains": [asdict(g) for g in found.gains]}
    return replace(record, assessment={**record.assessment, "second_reader": kept})


def read_row(reader: Reader, record: PaperRecord) -> Assessment:
    """Assess the paper of a row, with what a second reader found in it."""
    return reader.read(paper_of(record), findings_of(record))


def with_relevance(record: PaperRecord, read: Assessment) -> PaperRecord:
    """The row with the verdict of the screen."""
    return replace(record, relevant=read.relevance.relevant, reason=read.relevance.reason)


def with_techniques(record: PaperRecord, read: Assessment) -> PaperRecord:
    """The row with its credited techniques and reported gains, each with its sentence."""
    told = as_json(read)
    found = {
        "techniques": [{**t, "where": a.where} for t, a in zip(told["techniques"], read.techniques, strict=True)],
        "gains": [{**g, "where": gain.where} for g, gain in zip(told["gains"], read.gains, strict=True)],
    }
    named = {t.name: (t.kind.value, t.sentence) for t in reversed(read.techniques)}
    return replace(record, assessment={**record.assessment, **found}, techniques=named)


def with_disposition(record: PaperRecord, read: Assessment) -> PaperRecord:
    """The row with applicability, effort, impact, priority and what is done with the paper."""
    assessed = [
        {"id": t.id, "name": t.name, "applicability": t.applicability.value, "effort": t.effort.value,
         "impact": t.impact.value, "claimed_percent": t.claimed_percent, "priority": t.priority, "patch": t.patch}
        for t in read.distinct
    ]  # fmt: skip
    assessment = {**record.assessment, "assessed": assessed, "disposition_reason": read.disposition_reason}
    priority = with_attention(read.priority, _citations(record), _age_years(record))
    return replace(record, priority=priority, disposition=read.disposition.value, assessment=assessment)


def _citations(record: PaperRecord) -> int | None:
    told = record.assessment.get("citations")
    return int(told["count"]) if told else None


def _age_years(record: PaperRecord) -> float:
    read = datetime.fromisoformat(record.assessment["read_on"])
    return (read - record.published_at).days / 365 if record.published_at else 1.0
