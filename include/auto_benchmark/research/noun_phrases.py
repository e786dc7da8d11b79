"""The noun phrases of a sentence: every place where a technique could be named."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache

from auto_benchmark.research.stems import stems
from auto_benchmark.research.techniques import Mention
from auto_benchmark.research.word_classes import breaks, ends_phrase, is_filler

_TOKEN = re.compile(r"[^\W_][\w'/+-]*|[,:;.()?]")
_RUN = re.compile("-+")
LONGEST_NAME = 5
"""Words of a phrase that count, its last ones."""


@dataclass(frozen=True, slots=True)
class Tokens:
    """A sentence in words and marks, in lower case, with the characters where each begins and ends."""

    words: list[str]
    spans: list[tuple[int, int]]


@dataclass(frozen=True, slots=True)
class Phrase:
    """Words ``begin`` to ``end`` of a sentence's tokens.

    Attributes:
        begin: its first word.
        end: behind its last word.
        name: as it stands in the text.
        words: in lower case.
        stems: of its words, parted at hyphens too.
        mention: the last technique of the catalogue that is named in it.
    """

    begin: int
    end: int
    name: str
    words: list[str]
    stems: tuple[str, ...]
    mention: Mention | None


def tokens_of(text: str) -> Tokens:
    """Words (hyphens and digits belong to them) and marks."""
    return Tokens([word.lower() for word in _TOKEN.findall(text)], [match.span() for match in _TOKEN.finditer(text)])


def noun_phrases(text: str, tokens: Tokens, mentions: Sequence[Mention]) -> Iterator[Phrase]:
    """Runs of words with nothing between them that parts phrases; a catalogue's name is never parted.

    Args:
        text: one sentence, as ``tokens`` were taken from.
        tokens: its words.
        mentions: the catalogue's techniques in it, in reading order.
    """
    words, spans = tokens.words, tokens.spans
    held = _held(tokens, mentions)
    parts = "".join(["|" if breaks(word) else "-" for word in words])
    for at in held:
        parts = parts[:at] + "-" + parts[at + 1 :]
    for first, end in _pieces(parts, words, held):
        begin = first
        while begin < end and begin not in held and (is_filler(words[begin]) or not _begins(words[begin])):
            begin += 1
        begin = max(begin, end - LONGEST_NAME)
        if begin < end:
            mention = next((held[at] for at in range(end - 1, begin - 1, -1) if at in held), None) if held else None
            if end - begin > 1 or mention is not None or "-" in words[begin]:
                name = text[spans[begin][0] : spans[end - 1][1]]
                yield Phrase(begin, end, name, words[begin:end], _stems(name), mention)


def _pieces(parts: str, words: Sequence[str], held: Mapping[int, Mention]) -> Iterator[tuple[int, int]]:
    """Runs of words, parted again behind each plural."""
    for run in _RUN.finditer(parts):
        begin, end = run.span()
        for at in range(begin, end - 1):
            if at not in held and ends_phrase(words[at]):
                yield begin, at + 1
                begin = at + 1
        yield begin, end


@lru_cache(maxsize=65_536)
def _stems(name: str) -> tuple[str, ...]:
    return tuple(stems(name))


def _begins(word: str) -> bool:
    return word[0].isalpha() or "-" in word


def _held(tokens: Tokens, mentions: Sequence[Mention]) -> dict[int, Mention]:
    """The tokens that belong to mentions."""
    held: dict[int, Mention] = {}
    at = 0
    for mention in mentions:
        while at < len(tokens.spans) and tokens.spans[at][1] <= mention.start:
            at += 1
        while at < len(tokens.spans) and tokens.spans[at][0] < mention.stop:
            held[at] = mention
            at += 1
    return held
