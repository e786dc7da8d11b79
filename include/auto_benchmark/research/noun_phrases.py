"""The noun phrases of a sentence: every place where a technique could be named."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache

from auto_benchmark.research.stems import stems
from auto_benchmark.research.techniques import Mention
from auto_benchmark.research.word_classes import breaks, ends_phrase, is_filler

_TOKEN = re.compile(r"[^\W_](?:[\w'/+-]*[^\W_])?\+*|[,:;.()?]")
_RUN = re.compile("-+")
LONGEST_NAME = 5
"""Words of a phrase that count, its last ones."""


@dataclass(frozen=True, slots=True)
class Tokens:
    """A sentence in words and marks.

    Attributes:
        words: in lower case; hyphens and digits belong to them.
        spans: the characters where each begins and ends.
        held: tokens that belong to a technique of the catalogue.
        parts: one character a token: ``|`` where phrases are parted, ``-`` elsewhere.
    """

    words: list[str]
    spans: list[tuple[int, int]]
    held: dict[int, Mention]
    parts: str


@dataclass(frozen=True, slots=True)
class Phrase:
    """Words ``begin`` to ``end`` of a sentence's tokens.

    Attributes:
        first: where it began before words that say nothing were cut off.
        begin: its first word.
        end: behind its last word.
        name: as it stands in the text.
        words: in lower case.
        stems: of its words, parted at hyphens too.
        mention: the last technique of the catalogue that is named in it.
    """

    first: int
    begin: int
    end: int
    name: str
    words: list[str]
    stems: tuple[str, ...]
    mention: Mention | None


def tokens_of(text: str, mentions: Sequence[Mention]) -> Tokens:
    """Cut one sentence into tokens.

    Args:
        text: the sentence.
        mentions: the catalogue's techniques in it, in reading order.
    """
    words = [word.lower() for word in _TOKEN.findall(text)]
    spans = [match.span() for match in _TOKEN.finditer(text)]
    held = _held(spans, mentions)
    parts = "".join(["|" if breaks(word) and at not in held else "-" for at, word in enumerate(words)])
    return Tokens(words, spans, held, parts)


def noun_phrases(text: str, tokens: Tokens) -> Iterator[Phrase]:
    """Runs of words with nothing between them that parts phrases; a catalogue's name is never parted.

    Args:
        text: one sentence, as ``tokens`` were taken from.
        tokens: its words.
    """
    words, spans, held = tokens.words, tokens.spans, tokens.held
    for first, last in _pieces(text, tokens):
        begin, end = first, last
        while begin < end and end - 1 not in held and words[end - 1].isdigit():
            end -= 1
        begin = max(begin, end - LONGEST_NAME)
        while begin < end and begin not in held and (is_filler(words[begin]) or not _begins(words[begin])):
            begin += 1
        if begin < end:
            mention = next((held[at] for at in range(end - 1, begin - 1, -1) if at in held), None) if held else None
            if end - begin > 1 or mention is not None or "-" in words[begin]:
                name = text[spans[begin][0] : spans[end - 1][1]]
                yield Phrase(first, begin, end, name, words[begin:end], _stems(name), mention)


def _pieces(text: str, tokens: Tokens) -> Iterator[tuple[int, int]]:
    """Runs of words, parted again behind each plural and at marks that are no tokens: quotes, bullets, dashes."""
    words, spans, held = tokens.words, tokens.spans, tokens.held
    for run in _RUN.finditer(tokens.parts):
        begin, end = run.span()
        for at in range(begin, end - 1):
            if at in held and held.get(at + 1) is held[at]:
                continue
            apart = spans[at][1] + 1 != spans[at + 1][0] or text[spans[at][1]] != " "
            if apart or (at not in held and ends_phrase(words[at])):
                yield begin, at + 1
                begin = at + 1
        yield begin, end


@lru_cache(maxsize=65_536)
def _stems(name: str) -> tuple[str, ...]:
    return tuple(stems(name))


def _begins(word: str) -> bool:
    return word[0].isalpha() or "-" in word


def _held(spans: Sequence[tuple[int, int]], mentions: Sequence[Mention]) -> dict[int, Mention]:
    """The tokens that belong to mentions."""
    held: dict[int, Mention] = {}
    at = 0
    for mention in mentions:
        while at < len(spans) and spans[at][1] <= mention.start:
            at += 1
        while at < len(spans) and spans[at][0] < mention.stop:
            held[at] = mention
            at += 1
    return held
