"""What a paper says, rated for our system, and what is done with it."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from enum import StrEnum

from auto_benchmark.registry.solution import Params
from auto_benchmark.registry.technique_catalog import Effort, TechniqueKind
from auto_benchmark.research.applicability import Applicability, applicability_of
from auto_benchmark.research.gains import Gain
from auto_benchmark.research.impact import Impact
from auto_benchmark.research.paper import Paper
from auto_benchmark.research.relevance import Relevance
from auto_benchmark.research.techniques import FoundTechnique


class Disposition(StrEnum):
    """What becomes of a paper.

    ``hypothesis``: a technique is mapped to knobs, an experiment is proposed. ``escalation``: High impact, but
    nothing maps it; people are asked. ``brief``: the same for less; it waits for an agent or a person. ``noted``: kept
    in the log. ``irrelevant``: kept in the log, not pursued.
    """

    HYPOTHESIS = "hypothesis"
    ESCALATION = "escalation"
    BRIEF = "brief"
    NOTED = "noted"
    IRRELEVANT = "irrelevant"


@dataclass(frozen=True, slots=True)
class AssessedTechnique:
    """One credited technique with everything that ranks it. ``patch`` is None where no knob maps it."""

    id: str | None
    name: str
    words: str
    kind: TechniqueKind
    sentence: str
    applicability: Applicability
    effort: Effort
    impact: Impact
    claimed_percent: float | None
    priority: float
    patch: Params | None
    where: str = ""


@dataclass(frozen=True, slots=True)
class Assessment:
    """One paper, judged. ``techniques`` in reading order; :attr:`best` is the one to act on."""

    paper: Paper
    relevance: Relevance
    techniques: tuple[AssessedTechnique, ...]
    gains: tuple[Gain, ...]
    disposition: Disposition
    disposition_reason: str

    @property
    def distinct(self) -> list[AssessedTechnique]:
        """One entry per technique where a paper has several wordings for it: that of highest priority, else the first."""
        chosen: dict[str, AssessedTechnique] = {}
        for technique in sorted(self.techniques, key=lambda t: -t.priority):
            chosen.setdefault(technique.id or technique.name, technique)
        return [technique for technique in self.techniques if chosen[technique.id or technique.name] is technique]

    @property
    def best(self) -> AssessedTechnique | None:
        """The technique of highest priority; one that is a mere configuration wins a tie."""
        ranked = sorted(self.distinct, key=lambda t: (-t.priority, t.patch is None, t.id is None))
        return ranked[0] if ranked else None

    @property
    def priority(self) -> float:
        """Of the best technique; 0 without one."""
        return self.best.priority if self.best else 0.0


@dataclass(frozen=True, slots=True)
class Findings:
    """Techniques and gains that a reader found, each with a quote of the text."""

    techniques: tuple[FoundTechnique, ...] = ()
    gains: tuple[Gain, ...] = ()


@dataclass(frozen=True, slots=True)
class PaperReading:
    """What one text of a paper says, with every credited technique rated. It is made once and kept with the paper.

    Attributes:
        of: identity of the text that was read (:func:`text_identity`).
        relevance: whether the paper concerns us, and why.
        techniques: credited techniques, in reading order.
        gains: reported gains, in reading order.
    """

    of: str
    relevance: Relevance
    techniques: tuple[AssessedTechnique, ...]
    gains: tuple[Gain, ...]


def text_identity(paper: Paper, more: Findings | None = None) -> str:
    """Names what a reading depends on: title, abstract, body, tables, source and a second reader's findings."""
    read = [paper.title, paper.abstract, paper.source, paper.full_text, [asdict(table) for table in paper.tables]]
    found = asdict(more) if more and (more.techniques or more.gains) else {"techniques": (), "gains": ()}
    text = json.dumps([*read, found], ensure_ascii=False)
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()[:32]


def mapped(reading: PaperReading, mapping: Mapping[str, Params]) -> PaperReading:
    """The reading as it stands with another mapping of techniques to knobs; the text is not needed for it."""
    techniques = tuple(
        replace(
            t,
            applicability=applicability_of(t.id, t.kind, t.effort, mapping),
            patch=mapping.get(t.id) if t.id else None,
        )
        for t in reading.techniques
    )
    return replace(reading, techniques=techniques)


def assess(paper: Paper, reading: PaperReading) -> Assessment:
    """Decide what is done with a paper, by what was read in it."""
    disposition, why = _dispose(paper, reading.relevance, reading.techniques)
    return Assessment(paper, reading.relevance, reading.techniques, reading.gains, disposition, why)


def _dispose(paper: Paper, relevance: Relevance, techniques: Sequence[AssessedTechnique]) -> tuple[Disposition, str]:
    if paper.withdrawn:
        return Disposition.IRRELEVANT, "withdrawn"
    if not relevance.relevant:
        return Disposition.IRRELEVANT, relevance.reason
    mapped = dict.fromkeys(t.name for t in techniques if t.patch is not None)
    if mapped:
        return Disposition.HYPOTHESIS, f"the solution maps {', '.join(mapped)} to its knobs"
    strong = dict.fromkeys(t.name for t in techniques if t.impact is Impact.HIGH)
    if strong:
        return Disposition.ESCALATION, f"High impact claimed for {', '.join(strong)}, and no knob maps it"
    if not techniques:
        return Disposition.NOTED, "no technique is credited"
    named = ", ".join(dict.fromkeys(t.name for t in techniques))
    return Disposition.BRIEF, f"no knob maps {named}; it waits for an agent or a person who builds it"
