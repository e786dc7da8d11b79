"""A paper whose technique maps to no knob, as something for an agent or a person to build.

Titles and sentences are strangers' words: each is one bounded line of data, and is shown as a quotation.
"""

from __future__ import annotations

from dataclasses import dataclass

from auto_benchmark.research.log import cited
from auto_benchmark.research.record import PaperRecord
from auto_benchmark.research.text import storable

LONGEST, MOST_TECHNIQUES = 300, 4


@dataclass(frozen=True, slots=True)
class QuotedTechnique:
    """One credited technique, in the catalogue's or the paper's words, with the sentence that credits it."""

    technique: str
    sentence: str


@dataclass(frozen=True, slots=True)
class PaperBrief:
    """One paper.

    Attributes:
        paper: its citation.
        url: where it is.
        priority: of the ingest.
        techniques: those that no knob maps.
    """

    paper: str
    title: str
    url: str | None
    priority: float
    techniques: tuple[QuotedTechnique, ...]

    @property
    def line(self) -> str:
        """For people: whose idea, and the first sentence about it."""
        first = self.techniques[0]
        more = f" and {len(self.techniques) - 1} more" if len(self.techniques) > 1 else ""
        return f'{self.paper} credits {first.technique}{more}, which no knob maps: "{first.sentence}"'


def brief_of_paper(record: PaperRecord) -> PaperBrief | None:
    """What of a paper waits to be built; None where it credits nothing that a knob does not map."""
    credited = record.reading.techniques if record.reading else ()
    unmapped = {t.name: t for t in reversed(credited) if t.patch is None}
    ranked = sorted(unmapped.values(), key=lambda t: (-t.priority, t.name))[:MOST_TECHNIQUES]
    if not ranked:
        return None
    quoted = tuple(QuotedTechnique(_line(t.name), _line(t.sentence)) for t in ranked)
    return PaperBrief(cited(record.id), _line(record.paper.title), record.paper.url, record.priority or 0.0, quoted)


def _line(text: str) -> str:
    return " ".join(storable(text).split())[:LONGEST]
