"""Techniques of the catalogue in a text: where they are named, and whether the authors credit or merely mention them.

The whole catalogue is compiled once into a trie of word stems. Reading a text costs the same whatever the catalogue's
size: one dictionary look-up a word, and more only where a name begins.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import islice
from typing import Any

from auto_benchmark.registry.technique_catalog import Technique, TechniqueCatalog, TechniqueKind
from auto_benchmark.research.acronyms import spelt_out
from auto_benchmark.research.credit import is_credited, puts_forward
from auto_benchmark.research.phrases import modifiers
from auto_benchmark.research.text import Sentence

_WORD = re.compile(r"[^\W_]+")
_ACRONYM = re.compile(r"^(?=.*[A-Z].*[A-Z])[A-Za-z][A-Za-z0-9]{1,11}$")
_DEFINED = re.compile(r"\s?\(([A-Z][A-Za-z0-9]{1,10}?)s?\)")
_NEW = re.compile(r"^(?:(?:novel|new|our) )+(?=\S+ )", re.IGNORECASE)
_APART = re.compile(r"[(),.;:!?\[\]]")
_BRITISH = (("isation", "ization"), ("ise", "ize"), ("ising", "izing"), ("ised", "ized"))
_END = "."
MOST_IN_A_SENTENCE = 40
"""Mentions that are judged in one sentence; no author writes more."""
Trie = dict[str, Any]
Defined = dict[str, tuple[Technique | None, str]]
"""Acronyms of one text: what each means (None: nothing of the catalogue), and the words it stands for."""


@dataclass(frozen=True, slots=True)
class Mention:
    """One place where a technique is named.

    Attributes:
        technique: the catalogue's entry.
        name: the words of the text with the modifiers in front; "" where not credited.
        sentence: the sentence.
        credited: whether the authors say that their result comes from it.
    """

    technique: Technique
    name: str
    sentence: Sentence
    credited: bool


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


@lru_cache(maxsize=65_536)
def stem(word: str) -> str:
    """Reduce a word so that inflections meet: ``quantised``, ``quantization`` -> ``quantiz``.

    Consistency matters here, not linguistics: the catalogue and the text go through the same reduction.
    """
    word = singular(word)
    if len(word) > 5:
        for ending in ("ation", "ing", "ed"):
            if word.endswith(ending):
                word = word[: -len(ending)]
                if len(word) > 3 and word[-1] == word[-2] and word[-1] not in "aeious":
                    word = word[:-1]
                break
    if len(word) > 4 and word.endswith("ll"):
        word = word[:-1]
    return word[:-1] if len(word) > 4 and word.endswith("e") else word


@lru_cache(maxsize=65_536)
def singular(word: str) -> str:
    """Lower case, American spelling, singular."""
    word = word.lower()
    for british, american in _BRITISH:
        if word.endswith(british) and len(word) > 6:
            word = word.removesuffix(british) + american
    if len(word) > 4 and word.endswith("ies"):
        return word[:-3] + "y"
    return word[:-1] if len(word) > 3 and word.endswith("s") and not word.endswith(("ss", "us", "is")) else word


class TechniqueMatcher:
    """The catalogue, ready to read text. Build it once; it holds no state of the texts it reads."""

    def __init__(self, catalog: TechniqueCatalog) -> None:
        self._trie: Trie = {}
        self._entry = lru_cache(maxsize=65_536)(self._entries)
        self.by_id = {technique.id: technique for technique in catalog.techniques}
        for technique in catalog.techniques:
            for name in (technique.name, *technique.aliases):
                self._add(name, technique)

    def _add(self, name: str, technique: Technique) -> None:
        words = _WORD.findall(name)
        if len(words) == 1:
            keys = ["=" + words[0]] if _ACRONYM.match(words[0]) else ["~" + singular(words[0])]
        else:
            keys = [stem(word) for word in words]
        node = self._trie
        for key in keys:
            node = node.setdefault(key, {})
        node.setdefault(_END, technique)

    def mentions(self, title: Sentence, text: Sequence[Sentence], own: Sequence[bool]) -> list[Mention]:
        """Every mention of a technique, in reading order.

        Args:
            title: the title, read as the authors' own words.
            text: the sentences.
            own: for each sentence, whether the authors speak of their own work.
        """
        defined: Defined = {}
        found = []
        for sentence, stated in ((title, None), *zip(text, own, strict=True)):
            spans = list(islice(self._spans(sentence.plain, defined), MOST_IN_A_SENTENCE))
            mine = bool(stated)
            if spans and stated is None:  # a title counts where the text proposes something
                mine = not text or any(o and puts_forward(s) for s, o in zip(text, own, strict=True))
            for n, (technique, start, end) in enumerate(spans):
                following = spans[n + 1][1] if n + 1 < len(spans) else -1
                modifies = following - end in {1, 2} and sentence.plain[end:following].strip() in {"", "-"}
                credited = not modifies and is_credited(sentence, start, end, own=mine)
                _, spelt = defined.get(sentence.plain[start:end].removesuffix("s"), (None, ""))
                name = sentence.plain[_with_modifiers(sentence.plain, start) : end] if credited else ""
                found.append(Mention(technique, spelt or name, sentence, credited))
        return found

    def _spans(self, text: str, defined: Defined) -> Iterator[tuple[Technique, int, int]]:
        words = [(m[0], m.start(), m.end()) for m in _WORD.finditer(text)]
        i, entry = 0, self._entry
        while i < len(words):
            raw, start, end = words[i]
            single, node = entry(raw)
            if node is None:
                technique, width = single, 1
            elif (
                i + 1 == len(words) or stem(words[i + 1][0]) not in node
            ):  # most words that could begin a name do not
                technique, width = node.get(_END, single), 1
            else:
                technique, width = self._longest(text, words, i, single, node)
            if width == 1 and (defined or technique is not None):
                technique = self._of_acronym(text, raw, start, technique, defined)
            if technique is None:
                i += 1
                continue
            end = words[i + width - 1][2]
            yield technique, start, end
            i += width
            if acronym := _DEFINED.match(text, end):  # "knowledge distillation (KD)": KD means it from here on
                longer = spelt_out(text[:end].split()[-8:], acronym[1]) or ""
                defined[acronym[1]] = technique, longer if len(longer) > end - start else ""
                i += 1

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

    def _entries(self, word: str) -> tuple[Technique | None, Trie | None]:
        """What a text's word means alone, and where names begin with it."""
        single = next((self._trie[key][_END] for key in reversed(_single_keys(word)) if key in self._trie), None)
        return single, self._trie.get(stem(word))

    def _longest(
        self, text: str, words: list[tuple[str, int, int]], begin: int, single: Technique | None, node: Trie
    ) -> tuple[Technique | None, int]:
        best = (node.get(_END, single), 1)
        for at in range(begin + 1, min(begin + 8, len(words))):
            word, start, _ = words[at]
            following = node.get(stem(word))
            if following is None or _APART.search(text, words[at - 1][2], start):
                break
            node = following
            if _END in node:
                best = (node[_END], at - begin + 1)
        return best


def _with_modifiers(text: str, start: int) -> int:
    """Where the name begins when words in front of it belong to it: "cross-passage answer verification"."""
    before = text[max(0, start - 80) : start]
    return start - (len(before) - modifiers(before))


def _single_keys(word: str) -> tuple[str, str, str]:
    return "~" + singular(word), "=" + word.removesuffix("s"), "=" + word


def credited(mentions: Sequence[Mention]) -> list[FoundTechnique]:
    """One entry per technique credited anywhere, with the sentence that names it most fully; a sentence beats the title."""
    chosen: dict[str, Mention] = {}
    for mention in mentions:
        if mention.credited:
            known = chosen.get(mention.technique.id)
            if known is None or _tells_more(mention, known):
                chosen[mention.technique.id] = mention
    return [
        FoundTechnique(m.technique.id, m.technique.name, _words(m), m.technique.kind, m.sentence.quote)
        for m in chosen.values()
    ]


def _tells_more(one: Mention, other: Mention) -> bool:
    """Whether a later mention is the better one to quote: a sentence instead of the title, a name with modifiers."""
    return other.sentence.index < 0 or len(one.name.split()) > len(other.name.split())


def _words(mention: Mention) -> str:
    """The text's words; the catalogue's name before a bare acronym, and for one word that only repeats it."""
    name, words = mention.technique.name, _NEW.sub("", mention.name)
    if len(_WORD.findall(words)) > 1:
        return words
    if _ACRONYM.match(words):
        return name if words in name else f"{name} ({words})"
    return name if stem(words) in {stem(word) for word in _WORD.findall(name)} else words
