"""What speaks for and against a noun phrase being a technique that the authors credit.

Each cue is a short readable string: the phrase's last word, the word that governs it ("we propose an adaptive X": propose),
its neighbours, whose doing the clause tells of, where the sentence stands, whether the title repeats it. What a cue weighs
was learnt from labelled abstracts (``perf/train_credit.py``); here nothing is decided.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import chain, repeat

from auto_benchmark.research.noun_phrases import Phrase, Tokens
from auto_benchmark.research.remembered import remembered
from auto_benchmark.research.stance import compares_or_tests, proposes_anything, puts_forward, reviews, studies
from auto_benchmark.research.stems import stem, stems, stems_within, words_of
from auto_benchmark.research.text import Sentence
from auto_benchmark.research.voice import is_first_person, system_names
from auto_benchmark.research.word_classes import (
    ARTICLES,
    JOINING,
    OPPOSING,
    PREPOSITIONS,
    SUBJECTS,
    TELLING,
    ending_of,
    is_filler,
    is_verb_like,
)

_POINTING = ARTICLES | {"(", ")", "this", "that", "these", "those", "their"}
_TELLS = (TELLING - PREPOSITIONS).__contains__
_NEVER = repeat(0)
_REPEATED = [f"repeated {n}" for n in range(4)]
_CLAUSE_MARKS = frozenset(",;:(")
_TITLE_PARTS = ("via", "with", "for", "by", "using", "through", "in", "on")
FAR = 25
"""Words that are searched to the left for what tells of a phrase."""


@dataclass(frozen=True, slots=True)
class TextCues:
    """What a whole text says about each of its phrases.

    Attributes:
        cues: of the text as a whole.
        first_own: index of the first sentence in which the authors speak of their work.
        first_person: for each sentence, whether they say "we" or the like.
        title: stems of the title's words.
        counts: how often each stem stands in the text.
        systems: names that the authors give to what they built.
        length: sentences.
    """

    cues: tuple[str, ...]
    first_own: int
    first_person: list[bool]
    title: frozenset[str]
    counts: dict[str, int]
    systems: frozenset[str]
    length: int

    @classmethod
    def of(cls, title: Sentence, text: Sequence[Sentence], own: Sequence[bool]) -> TextCues:
        """Read the text once, before its phrases."""
        forward = any(mine and puts_forward(s) for s, mine in zip(text, own, strict=True))
        cues = ["text puts forward" if forward else "text puts nothing forward"]
        if reviews(title):
            cues.append("title reviews")
        if sum(["benchmark" in s.lower or "dataset" in s.lower for s in text]) > 1:
            cues.append("text on data")
        return cls(
            tuple(cues),
            next((i for i, mine in enumerate(own) if mine), len(text)),
            [is_first_person(s) for s in text],
            frozenset(stems(title.plain)),
            Counter(chain.from_iterable(map(stems_within, chain.from_iterable([s.chunks for s in text])))),
            system_names(title, text),
            len(text),
        )


def sentence_cues(document: TextCues, sentence: Sentence, tokens: Tokens) -> list[str]:
    """What a sentence says about all phrases in it."""
    words, at = tokens.words, sentence.index
    cues = [*document.cues, "opens " + " ".join(words[:2])]
    if at < 0:
        return [*cues, "in title"]
    cues.append(f"from own {max(-2, min(4, at - document.first_own))}")
    if document.first_person[at]:
        cues.append("first person")
    if document.length == 1:
        cues.append("only sentence")
    elif at in {0, document.length - 1}:
        cues.append("last sentence" if at else "first sentence")
    if proposes_anything(sentence):
        cues.append("sentence proposes")
    if studies(sentence):
        cues.append("sentence studies")
    if compares_or_tests(sentence):
        cues.append("sentence tests")
    return cues


def phrase_cues(document: TextCues, sentence: Sentence, phrase: Phrase) -> tuple[str, ...]:
    """What title, text and catalogue know of a phrase."""
    cues = _inside(document, phrase, titled=sentence.index < 0)
    if phrase.mention is not None and "name ends" in cues:
        cues += [f"known: {cue}" for cue in cues]
    return tuple(cues)


def surrounding_cues(sentence: Sentence, tokens: Tokens, phrase: Phrase) -> list[str]:
    """What the words around a phrase say."""
    cues = _neighbours(tokens, phrase)
    _add_clause(cues, tokens, phrase)
    if sentence.index < 0:
        cues += _title_place(tokens, phrase)
    return cues


@remembered
def word_cues(words: tuple[str, ...]) -> tuple[str, ...]:
    """What the words of a phrase (lower case) say by themselves."""
    head = words[-1].rsplit("-", 1)[-1]
    cues = [f"head {stem(head)}", f"words {len(words)}", *(f"ends as {kind}" for kind in ending_of(head))]
    cues += [f"modifier {stem(word)}" for word in words[:-1]]
    if len(words) > 1:
        cues.append(f"pair {stem(words[-2])} {stem(words[-1])}")
    if any("-" in word for word in words):
        cues.append("hyphen")
    for part in words_of(" ".join(words)):
        if len(part) > 3:
            cues += (f"begins {part[:5]}", f"tail {part[-4:]}")
    return tuple(dict.fromkeys(cues))


def _inside(document: TextCues, phrase: Phrase, *, titled: bool) -> list[str]:
    """What is known of its words: catalogue, title, repetition."""
    name, parts = phrase.name, phrase.stems
    cues = [_REPEATED[min(3, *map(document.counts.get, parts, _NEVER)) if parts else 0]]
    if not name.islower() and any(len(word) > 1 and word.isupper() for word in name.split()):
        cues.append("acronym")
    if document.systems and any(system in name for system in document.systems):
        cues.append("is our name" if name in document.systems else "holds our name")
    if phrase.mention is not None:
        cues.append("name")
        named = phrase.mention.text
        if name.endswith(named):
            cues += ("name ends", "name whole") if name == named else ("name ends",)
    if not titled and parts and document.title:
        shared = sum(map(document.title.__contains__, parts))
        cues.append(f"in title {min(2, shared)}")
        if shared == len(parts):
            cues.append("all in title")
        if parts[-1] in document.title:
            cues.append("head in title")
    return cues


def _neighbours(tokens: Tokens, phrase: Phrase) -> list[str]:
    """The words next to it, the one that governs it, and what is told of it."""
    words, begin, end = tokens.words, phrase.begin, phrase.end
    left = words[begin - 1] if begin else "^"
    right = words[end] if end < len(words) else "$"
    cues = [f"left {left}", f"left {left} > {phrase.words[-1].rstrip('s')[-3:]}", f"right {right}"]
    cues += [f"near left {word}" for word in TELLING.intersection(words[max(0, begin - 6) : begin])]
    if right == "(" and words[end + 2 : end + 3] == [")"]:
        cues.append("acronym follows")
    cues.append("then " + next(filter(is_verb_like, words[end : end + 6]), "$"))
    at = _governor(tokens, begin)
    cues.append(f"governor {words[at] if at >= 0 else '^'}")
    before = words[at - 1] if at > 0 else "^"
    cues.append(f"before governor {before}")
    if at >= 0 and words[at] in {"of", "in", "for", "on"}:
        cues.append(f"part {stem(before)} {words[at]}")
    cues.append("told " + next(filter(_TELLS, words[max(0, begin - FAR) : begin][::-1]), "none"))
    return cues


def _governor(tokens: Tokens, begin: int, depth: int = 0) -> int:
    """Where the word stands that governs the phrase at ``begin``, through the list that it is a member of; -1: none."""
    words, at = tokens.words, begin - 1
    while (
        at >= 0 and begin - at < 8 and words[at] not in JOINING and (words[at] in _POINTING or is_filler(words[at]))
    ):
        at -= 1
    if at < 0 or words[at] not in JOINING or depth > 5:
        return at
    joint = at
    while at >= 0 and words[at] in JOINING:
        at -= 1
    member = at
    while member >= 0 and at - member < 7 and tokens.parts[member] != "|":
        member -= 1
    return _governor(tokens, member + 1, depth + 1) if member < at else joint


def _add_clause(cues: list[str], tokens: Tokens, phrase: Phrase) -> None:
    """Whose doing the clause tells of, how it opens, and what stands against the phrase."""
    words, begin = tokens.words, phrase.begin
    before = words[:begin][::-1]
    cues.append("subject " + next(filter(SUBJECTS.__contains__, before), "none"))
    mark = next(filter(_CLAUSE_MARKS.__contains__, before), None)
    cues.append("clause " + (words[0] if mark is None else words[begin - before.index(mark)]))
    if begin == 0:
        cues.append("opens sentence")
    if phrase.end >= len(words) - 1:
        cues.append("ends sentence")
    against = next(filter(OPPOSING.__contains__, before[:8]), None)
    if against is not None:
        cues += ("against", f"against {against}")


def _title_place(tokens: Tokens, phrase: Phrase) -> Iterator[str]:
    """Before or behind the colon, "via", "for" of a title."""
    words = tokens.words
    for mark in (":", *_TITLE_PARTS):
        if mark in words:
            yield f"title {'behind' if phrase.begin > words.index(mark) else 'before'} {mark}"
