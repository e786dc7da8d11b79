"""Techniques of the catalogue in a text: where they are named.

The whole catalogue is compiled once into a trie of word stems. Reading a text costs the same whatever the catalogue's
size: one dictionary look-up a word, and more only where a name begins.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import chain, compress, islice
from typing import Any, NamedTuple

from auto_benchmark.registry.technique_catalog import Technique, TechniqueCatalog, TechniqueKind
from auto_benchmark.research.acronyms import spelt_out
from auto_benchmark.research.remembered import remembered
from auto_benchmark.research.stems import singular, stem, words_of, words_within
from auto_benchmark.research.text import Sentence

_ACRONYM = re.compile(r"^(?=.*[A-Z].*[A-Z])[A-Za-z][A-Za-z0-9]{1,11}$")
_DEFINED = re.compile(r"\s?\(([A-Z][A-Za-z0-9]{1,10}?)s?\)")
_APART = re.compile(r"[(),.;:!?\[\]]")
_END = "."
_NEITHER = (None, None)
MOST_IN_A_SENTENCE = 40
"""Mentions that are judged in one sentence; no author writes more."""
Trie = dict[str, Any]
Defined = dict[str, tuple[Technique | None, str]]
"""Acronyms of one text: what each means (None: nothing of the catalogue), and the words it stands for."""


class Mention(NamedTuple):
    """One place where a technique is named.

    Attributes:
        technique: the catalogue's entry.
        sentence: the sentence.
        start: its first character in ``sentence.plain``.
        stop: behind its last one.
        spelt: what the text says an acronym stands for, where that tells more than the name; else "".
    """

    technique: Technique
    sentence: Sentence
    start: int
    stop: int
    spelt: str = ""

    @property
    def text(self) -> str:
        """The name as it stands in the text."""
        return self.sentence.plain[self.start : self.stop]


@dataclass(frozen=True, slots=True)
class FoundTechnique:
    """One technique that the text credits, with the sentence that does so.

    Attributes:
        id: of the catalogue; None for a name that the catalogue does not know.
        name: the catalogue's name, or the text's where the catalogue has none.
        words: how the text calls it, with the modifiers in front ("segment-level rejection sampling").
        kind: what it changes.
        sentence: as it stands in the source.
        where: "" for title and abstract, else the part of the paper.
    """

    id: str | None
    name: str
    words: str
    kind: TechniqueKind
    sentence: str
    where: str = ""


class TechniqueMatcher:
    """The catalogue, ready to read text. Build it once; it holds no state of the texts it reads."""

    def __init__(self, catalog: TechniqueCatalog) -> None:
        self._trie: Trie = {}
        self._entry = remembered(self._entries)
        self.by_id = {technique.id: technique for technique in catalog.techniques}
        for technique in catalog.techniques:
            for name in (technique.name, *technique.aliases):
                self._add(name, technique)

    def _add(self, name: str, technique: Technique) -> None:
        words = words_of(name)
        if len(words) == 1:
            keys = ["=" + words[0]] if _ACRONYM.match(words[0]) else ["~" + singular(words[0])]
        else:
            keys = [stem(word) for word in words]
        node = self._trie
        for key in keys:
            node = node.setdefault(key, {})
        node.setdefault(_END, technique)

    def mentions(self, title: Sentence, text: Sequence[Sentence]) -> list[Mention]:
        """Every mention of a technique, in reading order, at most :data:`MOST_IN_A_SENTENCE` of one sentence."""
        defined: Defined = {}
        found = []
        for sentence in (title, *text):
            for technique, start, stop in islice(self._spans(sentence, defined), MOST_IN_A_SENTENCE):
                _, spelt = defined.get(sentence.plain[start:stop].removesuffix("s"), (None, ""))
                found.append(Mention(technique, sentence, start, stop, spelt))
        return found

    def _spans(self, sentence: Sentence, defined: Defined) -> Iterator[tuple[Technique, int, int]]:
        text, words = sentence.plain, list(chain.from_iterable(map(words_within, sentence.chunks)))
        spans: list[tuple[int, int]] = []  # of the words; most sentences name nothing and need none
        free = 0  # the first word that belongs to no name yet
        entries = list(map(self._entry, words))
        places: Iterable[int] = range(len(words))
        if not defined and "(" not in text:  # else acronyms may be told what they mean, and count
            places = compress(places, entries)
        for i in places:
            single, node = entries[i] or _NEITHER
            goes_on = node is not None and i + 1 < len(words) and stem(words[i + 1]) in node
            if single is None and not goes_on and not (defined and words[i].removesuffix("s") in defined):
                continue
            if i < free:
                continue
            spans = spans or _spans_of_words(text, words)
            start, technique, width = spans[i][0], single, 1
            if node is not None and goes_on:
                technique, width = self._longest(text, words, spans, i, single, node)
            if width == 1:
                technique = self._of_acronym(text, words[i], start, technique, defined)
            if technique is None:
                continue
            end, free = spans[i + width - 1][1], i + width
            yield technique, start, end
            if acronym := _DEFINED.match(text, end):  # "knowledge distillation (KD)": KD means it from here on
                longer = spelt_out(text[:end].split()[-8:], acronym[1]) or ""
                defined[acronym[1]] = technique, longer if len(longer) > end - start else ""
                free += 1

    @staticmethod
    def _of_acronym(
        text: str, word: str, start: int, technique: Technique | None, defined: Defined
    ) -> Technique | None:
        """What a single word means where the text itself says so: "Pyramid Residual Module (PRM)" is no reward model."""
        key = word.removesuffix("s")
        if key in defined:
            return defined[key][0]
        if technique is not None and text[start - 1 : start] == "(" and _ACRONYM.match(word):
            if spelt_out(text[:start].rstrip("( ").split()[-8:], key) is None:
                return technique
            defined[key] = (None, "")
            return None
        return technique

    def _entries(self, word: str) -> tuple[Technique | None, Trie | None] | None:
        """What a text's word means alone, and where names begin with it; None for most words: neither."""
        single = next((self._trie[key][_END] for key in reversed(_single_keys(word)) if key in self._trie), None)
        node = self._trie.get(stem(word))
        return None if single is None and node is None else ((node.get(_END, single) if node else single), node)

    @staticmethod
    def _longest(
        text: str, words: list[str], spans: list[tuple[int, int]], begin: int, single: Technique | None, node: Trie
    ) -> tuple[Technique | None, int]:
        best = (single, 1)
        for at in range(begin + 1, min(begin + 8, len(words))):
            following = node.get(stem(words[at]))
            if following is None or _APART.search(text, spans[at - 1][1], spans[at][0]):
                break
            node = following
            if _END in node:
                best = (node[_END], at - begin + 1)
        return best


def _spans_of_words(text: str, words: Sequence[str]) -> list[tuple[int, int]]:
    spans, stop = [], 0
    for word in words:
        start = text.find(word, stop)  # nothing between two words is part of one
        stop = start + len(word)
        spans.append((start, stop))
    return spans


def _single_keys(word: str) -> tuple[str, str, str]:
    return "~" + singular(word), "=" + word.removesuffix("s"), "=" + word
