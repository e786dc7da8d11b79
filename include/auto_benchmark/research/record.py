"""A paper as it was found, how far it has come, and what was made of it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import date, datetime
from enum import StrEnum
from typing import Any

from pydantic import TypeAdapter

from auto_benchmark.research.assessment import Findings, PaperReading
from auto_benchmark.research.dedupe import keys_of
from auto_benchmark.research.paper import Paper, moment
from auto_benchmark.research.result_table import ResultTable

LONGEST_FULL_TEXT = 100_000
"""Characters of a body that are kept."""


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
class PaperText:
    """The version that was fetched, and its body.

    Attributes:
        version: number of the version; 1 where the source has none.
        doi: digital object identifier.
        arxiv_id: arXiv identifier without a version.
        updated: when the version appeared.
        withdrawn: its authors or venue took it back.
        full_text: the body, where it could be had.
        tables: result tables of the body.
        body: where the body came from, or ``none: `` and the reason; None until one was asked for.
        day_only: the source names the day of publishing and no time.
    """

    version: int = 1
    doi: str | None = None
    arxiv_id: str | None = None
    updated: datetime | None = None
    withdrawn: bool = False
    full_text: str = ""
    tables: tuple[ResultTable, ...] = ()
    body: str | None = None
    day_only: bool = False


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
    """Everything that is known of a paper and has no column of its own.

    Attributes:
        paper: the text.
        keys: identities, by which other sources' copies are recognised.
        read_on: when it was fetched.
        second_reader: what a second reader found; None where none answered.
        citations: None where no service told.
        disposition_reason: why the disposition is what it is.
        hypotheses: what came of it; None until its disposition was acted upon.
    """

    paper: PaperText = PaperText()
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
        id: the source's own identifier with the source in front, ``arxiv:2401.01234``.
        stage: how far it has come.
        relevant: None until it has been screened.
        reason: of the screen's verdict.
        dossier: what has no column of its own.
        reading: what its text says; None before it was read, and for papers of versions that kept no readings.
        techniques: name -> (kind, the sentence that names it).
    """

    id: str
    source: str
    title: str
    abstract: str
    url: str | None = None
    published_at: datetime | None = None
    stage: PaperStage = PaperStage.FETCHED
    relevant: bool | None = None
    reason: str = ""
    priority: float | None = None
    disposition: str | None = None
    dossier: Dossier = field(default_factory=Dossier)
    reading: PaperReading | None = None
    techniques: Mapping[str, tuple[str, str]] = field(default_factory=dict)

    @classmethod
    def fetched(cls, paper: Paper, on: datetime) -> PaperRecord:
        """A paper that has just been fetched."""
        is_day = paper.published is not None and not isinstance(paper.published, datetime)
        text = PaperText(
            paper.version, paper.doi, paper.arxiv_id, paper.updated, paper.withdrawn,
            paper.full_text[:LONGEST_FULL_TEXT], paper.tables, day_only=is_day,
        )  # fmt: skip
        dossier = Dossier(text, tuple(keys_of(paper)), on)
        published_at = None if paper.published is None else moment(paper.published)
        return cls(paper.id, paper.source, paper.title, paper.abstract, paper.url, published_at, dossier=dossier)

    @property
    def paper(self) -> Paper:
        """The paper as the rules take it."""
        text = self.dossier.paper
        published = self.published_at.date() if self.published_at and text.day_only else self.published_at
        return Paper(
            self.id, self.title, self.abstract, self.source, self.url, published, text.updated, text.version,
            text.doi, text.arxiv_id, text.full_text, text.withdrawn, text.tables,
        )  # fmt: skip


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


_DOSSIER = TypeAdapter(Dossier)
_READING = TypeAdapter(PaperReading)


def dossier_as_json(dossier: Dossier) -> dict[str, Any]:
    """The column ``assessment``; what is not known has no key."""
    shape: dict[str, Any] = _DOSSIER.dump_python(dossier, mode="json")
    return {key: value for key, value in shape.items() if value is not None}


def dossier_from_json(shape: Mapping[str, Any]) -> Dossier:
    """Read the column ``assessment``, of this version or of one before stages were stored.

    Raises:
        ValueError: when it has another shape.
    """
    return _DOSSIER.validate_python(shape)


def reading_as_json(reading: PaperReading) -> dict[str, Any]:
    """The column ``reading``."""
    shape: dict[str, Any] = _READING.dump_python(reading, mode="json")
    return shape


def reading_from_json(shape: Mapping[str, Any]) -> PaperReading:
    """Read the column ``reading``.

    Raises:
        ValueError: when it has another shape.
    """
    return _READING.validate_python(shape)
