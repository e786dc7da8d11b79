"""A paper as it was found, how far it has come, and what was made of it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import date, datetime
from enum import StrEnum
from typing import Any

from auto_benchmark.research.assessment import Findings, PaperReading
from auto_benchmark.research.paper import Paper, moment


class PaperStage(StrEnum):
    """How far a paper has come; each step of an ingest takes the papers of one stage to the next.

    ``fetched``: stored, unread. ``screened``: title and abstract were read, it is relevant or not. ``extracted``:
    everything that could be had of it was read. ``assessed``: it is decided what is done with it. ``acted``: that was
    done.
    """

    FETCHED = "fetched"
    SCREENED = "screened"
    EXTRACTED = "extracted"
    ASSESSED = "assessed"
    ACTED = "acted"


@dataclass(frozen=True, slots=True)
class CitationCount:
    """How often a paper was cited on a day."""

    count: int
    on: date


@dataclass(frozen=True, slots=True)
class HypothesisLink:
    """One hypothesis that came from a paper.

    Attributes:
        id: of the hypothesis.
        technique: the catalogue's id of what it tries.
        claimed: the gain that the paper claims, in the target metric's unit.
        factor: what such claims were worth when the hypothesis was queued.
    """

    id: str
    technique: str
    claimed: float
    factor: float


@dataclass(frozen=True, slots=True)
class Dossier:
    """What has been found out about a paper beside its text and its reading.

    Attributes:
        body: where the paper's body came from, or ``none: `` and the reason; None until one was asked for.
        keys: identities, by which other sources' copies are recognised.
        read_on: when it was fetched.
        second_reader: what a second reader found; None where none answered.
        citations: None where no service told.
        disposition_reason: why the disposition is what it is.
        hypotheses: what came of it; None until its disposition was acted upon.
    """

    body: str | None = None
    keys: tuple[str, ...] = ()
    read_on: datetime | None = None
    second_reader: Findings | None = None
    citations: CitationCount | None = None
    disposition_reason: str = ""
    hypotheses: tuple[HypothesisLink, ...] | None = None


@dataclass(frozen=True, slots=True)
class PaperRecord:
    """One paper.

    Attributes:
        paper: as its source delivered it, with its body where that could be had.
        stage: how far it has come.
        relevant: None until it has been screened.
        reason: of the screen's verdict.
        dossier: what was found out beside.
        reading: what its text says; None before it was read, and for papers of versions that kept no readings.
        techniques: name -> (kind, the sentence that names it).
    """

    paper: Paper
    stage: PaperStage = PaperStage.FETCHED
    relevant: bool | None = None
    reason: str = ""
    priority: float | None = None
    disposition: str | None = None
    dossier: Dossier = field(default_factory=Dossier)
    reading: PaperReading | None = None
    techniques: Mapping[str, tuple[str, str]] = field(default_factory=dict)

    @property
    def id(self) -> str:
        """The source's own identifier with the source in front, ``arxiv:2401.01234``."""
        return self.paper.id

    @property
    def published_at(self) -> datetime | None:
        """When the paper appeared; the beginning of the day where no time is known."""
        return None if self.paper.published is None else moment(self.paper.published)


def stage_of(relevant: bool | None, disposition: str | None, assessment: Mapping[str, Any]) -> PaperStage:
    """The stage of a row from a version that stored none, when the presence of keys told how far a paper was.

    Args:
        relevant: the column.
        disposition: the column.
        assessment: the column, as JSON.
    """
    if disposition is not None:
        return PaperStage.ACTED if "hypotheses" in assessment else PaperStage.ASSESSED
    if relevant is None:
        return PaperStage.FETCHED
    return PaperStage.EXTRACTED if "gains" in assessment else PaperStage.SCREENED
