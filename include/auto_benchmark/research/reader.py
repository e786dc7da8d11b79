"""Reads a paper by the rules: relevance, credited techniques, reported gains."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace

from auto_benchmark.registry.solution import Params
from auto_benchmark.registry.technique_catalog import Effort
from auto_benchmark.research.applicability import applicability_of
from auto_benchmark.research.assessment import (
    AssessedTechnique,
    Assessment,
    Findings,
    PaperReading,
    assess,
    text_identity,
)
from auto_benchmark.research.credit import credited, explained
from auto_benchmark.research.gains import MOST_GAINS, Gain, find_gains
from auto_benchmark.research.impact import impact_of, priority_of, reported_percent
from auto_benchmark.research.paper import Paper
from auto_benchmark.research.relevance import RelevanceScreen
from auto_benchmark.research.result_table import table_gains
from auto_benchmark.research.stance import states_use
from auto_benchmark.research.techniques import FoundTechnique, Mention, TechniqueMatcher
from auto_benchmark.research.text import Sentence, sentences, title_sentence
from auto_benchmark.research.voice import is_first_person, own_voice, system_names

BODY = "full text"
"""Where a finding stands that is in no table and not in the abstract."""
MOST_OF_BODY = 12
"""Techniques that only the body names; a paper with more lists what exists."""


@dataclass(frozen=True, slots=True)
class Reader:
    """Everything that reading needs, compiled once.

    Attributes:
        matcher: the technique catalogue.
        screen: what is relevant.
        mapping: technique id -> patch of our solution.
        boards: names of the target leaderboards.
    """

    matcher: TechniqueMatcher
    screen: RelevanceScreen
    mapping: Mapping[str, Params] = field(default_factory=dict)
    boards: Sequence[str] = ()

    def read(self, paper: Paper, more: Findings | None = None) -> Assessment:
        """Read one paper and assess it; the arguments are those of :meth:`read_text`."""
        return assess(paper, self.read_text(paper, more))

    def read_text(self, paper: Paper, more: Findings | None = None) -> PaperReading:
        """Find what one paper says. Deterministic; the cost is linear in the text's length.

        Args:
            paper: what to read.
            more: what another reader found in the same text; the rules' own findings come first and win.
        """
        more = more or Findings()
        title = title_sentence(paper.title)
        text = sentences(paper.abstract)
        body = sentences(paper.full_text) if paper.full_text else []
        own = own_voice(title, text)
        gains = find_gains(text, own)
        mentions = self.matcher.mentions(title, text)
        found = _joined(credited(title, text, own, mentions), more.techniques)
        if body or paper.tables:
            beyond = self._read_body(paper, title, text, body, stated=bool(gains))
            gains += beyond.gains
            found = _joined(found, beyond.techniques)
        gains += [gain for gain in more.gains if gain.value not in {known.value for known in gains}]
        relevance = self.screen.judge(
            title, [*text, *body], has_gain=bool(gains), cites_core=paper.source == "citations"
        )
        assessed = tuple(self._assess(technique, gains, mentions) for technique in found)
        return PaperReading(text_identity(paper, more), relevance, assessed, tuple(gains))

    def _read_body(
        self, paper: Paper, title: Sentence, text: Sequence[Sentence], body: Sequence[Sentence], *, stated: bool
    ) -> Findings:
        """What the body adds: result tables; gains in sentences where the abstract states none; techniques in use."""
        own = own_voice(title, body) if body else []
        systems = system_names(title, [*text, *body])
        gains = table_gains(paper.tables, systems)
        if not stated:
            gains += [replace(gain, where=BODY) for gain in find_gains(body, own)]
        told = [mine and is_first_person(s) and states_use(s) for s, mine in zip(body, own, strict=True)]
        found: dict[str, FoundTechnique] = {}
        for technique in credited(title, body, told, self.matcher.mentions(title, body)):
            if technique.id is not None and technique.sentence != title.quote:  # the title was read with the abstract
                found.setdefault(technique.id, replace(technique, where=BODY))
        return Findings(tuple(found.values())[:MOST_OF_BODY], tuple(gains[:MOST_GAINS]))

    def why(self, paper: Paper) -> dict[str, list[tuple[str, float]]]:
        """For each technique that title and abstract credit, as they word it, the cues that decided and their log-odds."""
        title, text = title_sentence(paper.title), sentences(paper.abstract)
        return explained(title, text, own_voice(title, text), self.matcher.mentions(title, text))

    def _assess(self, found: FoundTechnique, gains: Sequence[Gain], mentions: Sequence[Mention]) -> AssessedTechnique:
        effort = self.matcher.by_id[found.id].effort if found.id else Effort.MEDIUM
        percent = self._percent_of(found, gains, mentions) if gains else None
        impact = impact_of(percent)
        return AssessedTechnique(
            found.id, found.name, found.words, found.kind, found.sentence,
            applicability_of(found.id, found.kind, effort, self.mapping), effort, impact, percent,
            priority_of(impact, effort), self.mapping.get(found.id) if found.id else None, found.where,
        )  # fmt: skip

    def _percent_of(self, found: FoundTechnique, gains: Sequence[Gain], mentions: Sequence[Mention]) -> float | None:
        """The gain claimed where the technique is named, else anywhere."""
        named = {m.sentence.quote for m in mentions if m.technique.id == found.id} if found.id else {found.sentence}
        own = reported_percent([gain for gain in gains if gain.sentence in named], self.boards)
        return reported_percent(gains, self.boards) if own is None else own


def _joined(first: Sequence[FoundTechnique], second: Sequence[FoundTechnique]) -> list[FoundTechnique]:
    known = {t.id or t.name.casefold() for t in first}
    return [*first, *(t for t in second if (t.id or t.name.casefold()) not in known)]
