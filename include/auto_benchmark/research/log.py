"""View model of ``research_log.md``: one entry per paper, in words."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date

from auto_benchmark.research.assessment import AssessedTechnique, Assessment, Disposition
from auto_benchmark.research.gains import Gain, GainUnit

LONGEST_TITLE = 300
LONGEST_NAME = 120
_SPELT = {"arxiv": "arXiv", "openreview": "OpenReview", "s2": "Semantic Scholar", "openalex": "OpenAlex"}


@dataclass(frozen=True, slots=True)
class LoggedTechnique:
    """One line of an entry."""

    name: str
    effort: str
    impact: str
    prioritized: bool


@dataclass(frozen=True, slots=True)
class LoggedPaper:
    """One paper of the log.

    Attributes:
        day: when it was read.
        source: as a person would cite it (``arXiv:2602.01234``).
        boards: target leaderboards that it names.
        gains: reported gains, in words.
        action: what happens next.
        outcome: what came of it, once a hypothesis was decided; "" before.
    """

    day: date
    title: str
    source: str
    url: str | None
    boards: tuple[str, ...]
    gains: tuple[str, ...]
    techniques: tuple[LoggedTechnique, ...]
    action: str
    outcome: str = ""


@dataclass(frozen=True, slots=True)
class Skipped:
    """One line for a paper that does not concern us."""

    day: date
    title: str
    source: str
    reason: str


def entry_of(assessment: Assessment, day: date, *, hypotheses: Sequence[str] = (), outcome: str = "") -> LoggedPaper:
    """The entry of one paper.

    Args:
        assessment: what the rules read.
        day: when.
        hypotheses: ids of hypotheses that came from it.
        outcome: what came of them.
    """
    best = assessment.best
    prioritized = best if assessment.relevance.relevant and best is not None else None
    return LoggedPaper(
        day, assessment.paper.title[:LONGEST_TITLE], cited(assessment.paper.id), assessment.paper.url,
        assessment.relevance.boards,
        tuple(gain_text(gain) for gain in assessment.gains),
        tuple(_line(t, prioritized) for t in assessment.distinct),
        _action(assessment, hypotheses), outcome,
    )  # fmt: skip


def _line(technique: AssessedTechnique, prioritized: AssessedTechnique | None) -> LoggedTechnique:
    return LoggedTechnique(
        technique.name[:LONGEST_NAME], technique.effort.value, technique.impact.value, technique is prioritized
    )


def gain_text(gain: Gain) -> str:
    """``+4.2% on MemoryBench vs prior SOTA``."""
    size = {
        GainUnit.POINTS: f"+{gain.value:g} points", GainUnit.PERCENT: f"+{gain.value:g}%",
        GainUnit.RELATIVE: f"{gain.value:g}% relative improvement", GainUnit.FOLD: f"{gain.value:g}x",
    }[gain.unit]  # fmt: skip
    parts = [size, f"in {gain.metric}" if gain.metric else "", f"on {gain.benchmark}" if gain.benchmark else ""]
    if gain.baseline:
        parts.append(f"vs {gain.baseline}")
    return " ".join([*filter(None, parts), *([f"({gain.where})"] if gain.where else [])])


def cited(paper_id: str) -> str:
    """``arxiv:2602.01234`` -> ``arXiv:2602.01234``."""
    kind, _, rest = paper_id.partition(":")
    return f"{_SPELT.get(kind, kind)}:{rest}"


def citation_in(source: str) -> str | None:
    """The paper or report that a hypothesis' ``source`` begins with; None where it came from elsewhere."""
    first = source.split(" + ", maxsplit=1)[0]
    kind, _, rest = first.partition(":")
    return first if rest and kind in {*_SPELT.values(), "blog", "report"} else None


def _action(assessment: Assessment, hypotheses: Sequence[str]) -> str:
    best = assessment.best
    match assessment.disposition:
        case Disposition.HYPOTHESIS if hypotheses:
            return f"Generated {', '.join(hypotheses)} — experiment scheduled."
        case Disposition.HYPOTHESIS if best is not None:
            return f"Generate hypothesis for {best.name} — schedule experiment."
        case Disposition.ESCALATION:
            return f"Escalate: {assessment.disposition_reason}."
        case Disposition.BRIEF:
            return f"Brief: {assessment.disposition_reason}."
        case Disposition.IRRELEVANT:
            return f"None: {assessment.disposition_reason}."
        case _:
            return f"Noted: {assessment.disposition_reason}."
