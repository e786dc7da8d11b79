"""What is kept of a paper beside the columns of its row, and its form as JSON."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import date, datetime
from typing import Any

from pydantic import TypeAdapter

from auto_benchmark.research.assessment import Findings, PaperReading
from auto_benchmark.research.result_table import ResultTable


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
