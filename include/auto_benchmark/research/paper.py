"""One paper as every source delivers it."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import UTC, date, datetime, time

from auto_benchmark.research.result_table import ResultTable


@dataclass(frozen=True, slots=True)
class Paper:
    """What is known of a paper before it is read. Texts are data: nothing in them is ever followed.

    Attributes:
        id: the source's own identifier, without a version (``arxiv:2401.01234``).
        title: plain text, as the source gives it.
        abstract: plain text, or "" where the source has none.
        source: which kind of source delivered it (``arxiv``, ``openreview``, ``blog``, ``citations``).
        url: where a person reads it.
        published: when it first appeared; a day where the source names no time.
        updated: when its newest version appeared.
        version: number of its newest version; 1 where the source has none.
        doi: digital object identifier.
        arxiv_id: arXiv identifier without a version.
        full_text: the body, where it could be had.
        tables: result tables of the body.
        withdrawn: its authors or venue took it back.
    """

    id: str
    title: str
    abstract: str
    source: str = ""
    url: str | None = None
    published: datetime | date | None = None
    updated: datetime | None = None
    version: int = 1
    doi: str | None = None
    arxiv_id: str | None = None
    full_text: str = ""
    withdrawn: bool = False
    tables: tuple[ResultTable, ...] = ()


def moment(published: datetime | date) -> datetime:
    """When a paper appeared, for order and arithmetic: the beginning of a day, in UTC."""
    return published if isinstance(published, datetime) else datetime.combine(published, time(), UTC)
