"""Techniques that the authors credit: noun phrases of their own sentences for which the cues speak.

Every cue has a weight (``credit_weights.json``, learnt by ``perf/train_credit.py`` from labelled abstracts); a phrase is
credited when the sum of its weights reaches the threshold: logistic regression, read aloud. Nothing is random, and
:func:`reasons` tells which cues decided.
"""

from __future__ import annotations

import json
import math
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from importlib import resources
from itertools import groupby, repeat
from typing import NamedTuple

from auto_benchmark.registry.technique_catalog import TechniqueKind
from auto_benchmark.research.cues import TextCues, phrase_cues, sentence_cues, surrounding_cues, word_cues
from auto_benchmark.research.noun_phrases import Phrase, Tokens, noun_phrases, tokens_of
from auto_benchmark.research.remembered import remembered
from auto_benchmark.research.stance import is_set_against
from auto_benchmark.research.stems import words_of
from auto_benchmark.research.techniques import FoundTechnique, Mention
from auto_benchmark.research.text import Sentence
from auto_benchmark.research.voice import gives_orders

_KINDS = (
    (TechniqueKind.DATA, re.compile(r"augment|synthe|curat|filter|mixture|data\b|packing|negative")),
    (TechniqueKind.INFERENCE, re.compile(
        r"decod|sampl|infer|search|prompt|retriev|rank|verif|prun|quanti|compress|cache|test-time|steer|ensembl"
        r"|speculat")),
    (TechniqueKind.TRAINING, re.compile(
        r"loss|objective|train|learn|tun|distill|optimi|regulari|schedul|initiali|supervis|curricul|reward"
        r"|polic|gradient|descent|alignment|adapt|transfer|replay|rehears")),
)  # fmt: skip

MOST_FOUND = 60
"""Techniques of one text, the surest ones; no author credits more."""


@dataclass(frozen=True, slots=True, eq=False)
class Weights:
    """What each cue weighs.

    Attributes:
        by_cue: log-odds that a cue adds; a cue that is not listed adds nothing.
        bias: log-odds without any cue.
        threshold: log-odds from which on a phrase is credited.
        reach: log-odds that the words around a phrase add at most, but for one credited phrase in two hundred.
        of_words: log-odds that a phrase's words add by themselves.
        of_place: log-odds that what title, text and catalogue know of it adds.
    """

    by_cue: Mapping[str, float]
    bias: float
    threshold: float
    reach: float = math.inf
    of_words: Callable[[tuple[str, ...]], float] = field(init=False, repr=False)
    of_place: Callable[[tuple[str, ...]], float] = field(init=False, repr=False)

    @classmethod
    @cache
    def bundled(cls) -> Weights:
        """Those of the package, read once per process."""
        file = resources.files("auto_benchmark.research") / "credit_weights.json"
        held = json.loads(file.read_text(encoding="utf-8"))
        return cls(held["weights"], held["bias"], held["threshold"], held["reach"])

    def __post_init__(self) -> None:
        object.__setattr__(self, "of_words", remembered(lambda words: self.sum(word_cues(words))))
        object.__setattr__(self, "of_place", remembered(self.sum))  # there are few combinations of these cues

    def sum(self, cues: Sequence[str]) -> float:
        """Log-odds that the cues add."""
        return sum(map(self.by_cue.get, cues, repeat(0.0)))


class CreditedPhrase(NamedTuple):
    """One noun phrase in a sentence of the authors, or in the title.

    Attributes:
        sentence: where it stands.
        tokens: of the sentence.
        phrase: the words.
        of_sentence: cues that all phrases of the sentence share.
        document: the text.
    """

    sentence: Sentence
    tokens: Tokens
    phrase: Phrase
    of_sentence: list[str]
    document: TextCues

    @property
    def of_words(self) -> tuple[str, ...]:
        """What its words say by themselves, in any text."""
        return word_cues(self.phrase.words)

    @property
    def of_phrase(self) -> tuple[str, ...]:
        """What title, text and catalogue know of it."""
        return phrase_cues(self.document, self.sentence, self.phrase)

    @property
    def around(self) -> list[str]:
        """Cues of the words around it; read only where they can matter."""
        return surrounding_cues(self.sentence, self.tokens, self.phrase)

    @property
    def cues(self) -> list[str]:
        """All that speaks for or against it."""
        return [*self.of_sentence, *self.of_words, *self.of_phrase, *self.around]

    @property
    def start(self) -> int:
        """Where it begins in the sentence, with words that say nothing about it."""
        return self.tokens.starts[self.phrase.first]


def candidates(
    title: Sentence, text: Sequence[Sentence], own: Sequence[bool], mentions: Sequence[Mention]
) -> Iterator[CreditedPhrase]:
    """Every phrase that could be credited, with its cues.

    Args:
        title: the title.
        text: the sentences.
        own: for each sentence, whether the authors speak of their own work.
        mentions: the catalogue's techniques in title and text.
    """
    document = TextCues.of(title, text, own)
    named = {index: list(group) for index, group in groupby(mentions, key=lambda m: m.sentence.index)}
    told = [s for s, mine in zip(text, own, strict=True) if mine]
    for sentence in told if gives_orders(title) else (title, *told):
        tokens = tokens_of(sentence.plain, named.get(sentence.index, ()))
        shared = sentence_cues(document, sentence, tokens)
        for phrase in noun_phrases(sentence.plain, tokens):
            yield CreditedPhrase(sentence, tokens, phrase, shared, document)


def credited(
    title: Sentence, text: Sequence[Sentence], own: Sequence[bool], mentions: Sequence[Mention]
) -> list[FoundTechnique]:
    """The techniques that the authors credit; arguments as of :func:`candidates`."""
    return choose(candidates(title, text, own, mentions), Weights.bundled())


def explained(
    title: Sentence, text: Sequence[Sentence], own: Sequence[bool], mentions: Sequence[Mention]
) -> dict[str, list[tuple[str, float]]]:
    """For each credited technique, as the text words it, the :func:`reasons`; arguments as of :func:`candidates`."""
    weights = Weights.bundled()
    chosen = _chosen(candidates(title, text, own, mentions), weights)
    return {_found(one).words: reasons(one, weights) for one in chosen}


def choose(among: Iterable[CreditedPhrase], weights: Weights) -> list[FoundTechnique]:
    """One entry per wording in reading order, with the sentence that credits it most clearly, else the title."""
    return _without_parts([_found(one) for one in _chosen(among, weights)])


def _chosen(among: Iterable[CreditedPhrase], weights: Weights) -> list[CreditedPhrase]:
    chosen: dict[str, tuple[bool, float, CreditedPhrase]] = {}
    shared: tuple[Sentence | None, float] = (None, 0.0)
    for one in among:
        if shared[0] is not one.sentence:
            shared = one.sentence, weights.bias + weights.sum(one.of_sentence)
        odds = shared[1] + weights.of_words(one.phrase.words) + weights.of_place(one.of_phrase)
        if odds < weights.threshold - weights.reach:
            continue
        odds += weights.sum(one.around)
        if odds < weights.threshold:
            continue
        rank = (one.sentence.index >= 0, odds, one)
        key = " ".join(one.phrase.stems)
        surer = key not in chosen or rank[:2] > chosen[key][:2]
        if surer and not is_set_against(one.sentence, one.start):
            chosen[key] = rank
    surest = set(sorted(chosen, key=lambda key: -chosen[key][1])[:MOST_FOUND])
    return [chosen[key][2] for key in chosen if key in surest]


def reasons(one: CreditedPhrase, weights: Weights, most: int = 5) -> list[tuple[str, float]]:
    """The cues that speak loudest for or against a phrase, and their log-odds."""
    said = [(cue, weights.by_cue.get(cue, 0.0)) for cue in dict.fromkeys(one.cues)]
    return sorted((pair for pair in said if pair[1]), key=lambda pair: -abs(pair[1]))[:most]


def kind_of(name: str) -> TechniqueKind:
    """What a technique of this name probably changes; architecture when its words do not say."""
    lower = name.lower()
    return next((kind for kind, words in _KINDS if words.search(lower)), TechniqueKind.ARCHITECTURE)


def _found(one: CreditedPhrase) -> FoundTechnique:
    mention, words = one.phrase.mention, one.phrase.name
    if mention is None:
        return FoundTechnique(None, words, words, kind_of(words), one.sentence.quote)
    technique = mention.technique
    if mention.spelt and words == mention.text:
        words = mention.spelt
    elif words.isupper() and " " not in words and words not in technique.name:
        words = f"{technique.name} ({words})"
    return FoundTechnique(technique.id, technique.name, words, technique.kind, one.sentence.quote)


def _without_parts(found: Sequence[FoundTechnique]) -> list[FoundTechnique]:
    """Without names that stand in a longer one and mean nothing else: "recurrence" beside "segment-level recurrence"."""
    words = [f" {' '.join(words_of(one.words.lower()))} " for one in found]
    return [
        one
        for one, mine in zip(found, words, strict=True)
        if not any(
            mine in theirs and mine != theirs and one.id in {None, other.id}
            for other, theirs in zip(found, words, strict=True)
        )
    ]
