"""The noun phrases of a sentence: every place where a technique could be named."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterator, Mapping, Sequence
from itertools import accumulate
from typing import NamedTuple

from auto_benchmark.research.remembered import remembered
from auto_benchmark.research.stems import stems
from auto_benchmark.research.techniques import Mention
from auto_benchmark.research.text import lowered
from auto_benchmark.research.word_classes import breaks, ends_phrase, is_filler

_TOKENS = r"([^\W_](?:[\w'/+-]*[^\W_])?\+*|[,:;.()?])"
"""In a group, so that a split keeps the tokens beside what stands between them."""
_ODD_MARKS = r"[^\w\s,:;.()?'/+-]|\s[-+/]+\s|--"
_TOKEN, _ASCII_TOKEN = re.compile(_TOKENS), re.compile(_TOKENS.replace(r"[^\W_]", "[a-zA-Z0-9]"), re.ASCII)
_ODD, _ASCII_ODD = re.compile(_ODD_MARKS), re.compile(_ODD_MARKS, re.ASCII)
_PLAIN_GAPS = frozenset(("", " "))
"""Between most tokens nothing else stands."""
_RUN = re.compile("-+e?|e")
_LONG_RUN = re.compile("--+e?|-e")
"""A single word names nothing, unless it has a hyphen or is known."""
LONGEST_NAME = 5
"""Words of a phrase that count, its last ones."""

LONGEST_WORD = 60
"""Characters; a longer one is no word (the rest of a link, say)."""


class Tokens(NamedTuple):
    """A sentence in words and marks.

    Attributes:
        words: in lower case; hyphens and digits belong to them.
        starts: the characters where they begin.
        stops: the characters behind them.
        held: tokens that belong to a technique of the catalogue.
        parts: one character a token: ``|`` for what stands in no phrase, ``e`` for what ends one, ``-`` elsewhere.
    """

    words: list[str]
    starts: list[int]
    stops: list[int]
    held: dict[int, Mention]
    parts: str


class Phrase(NamedTuple):
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
    words: tuple[str, ...]
    stems: tuple[str, ...]
    mention: Mention | None


def tokens_of(text: str, mentions: Sequence[Mention]) -> Tokens:
    """Cut one sentence into tokens.

    Args:
        text: the sentence.
        mentions: the catalogue's techniques in it, in reading order.
    """
    lower, ascii_only = lowered(text), text.isascii()
    pieces = _ASCII_TOKEN.split(lower) if ascii_only else _TOKEN.split(text)  # a quarter faster
    ends = list(accumulate(map(len, pieces)))
    starts, stops, gaps = ends[:-1:2], ends[1::2], pieces[::2]
    words = pieces[1::2] if ascii_only else [lower[a:b] for a, b in zip(starts, stops, strict=True)]
    parts = "".join(map(_part, words))
    odd = _ASCII_ODD if ascii_only else _ODD
    if ("--" in text or not _PLAIN_GAPS.issuperset(gaps)) and odd.search(text):
        parts = _parted_at_odd_marks(parts, gaps)
    held = _held(starts, stops, mentions) if mentions else {}
    if held:
        parts = _undivided(parts, held)
    return Tokens(words, starts, stops, held, parts)


def noun_phrases(text: str, tokens: Tokens) -> Iterator[Phrase]:
    """Runs of words with nothing between them that parts phrases; a catalogue's name is never parted.

    Args:
        text: one sentence, as ``tokens`` were taken from.
        tokens: its words.
    """
    words, held = tokens.words, tokens.held
    runs = _RUN if held or "-" in text else _LONG_RUN
    for run in runs.finditer(tokens.parts):
        first, end = run.span()
        if end - first == 1 and first not in held and "-" not in words[first]:
            continue
        begin = first
        while begin < end and end - 1 not in held and words[end - 1].isdigit():
            end -= 1
        begin = max(begin, end - LONGEST_NAME)
        while begin < end and begin not in held and _says_nothing(words[begin]):
            begin += 1
        if begin < end:
            mention = next((held[at] for at in range(end - 1, begin - 1, -1) if at in held), None) if held else None
            if end - begin > 1 or mention is not None or "-" in words[begin]:
                name = text[tokens.starts[begin] : tokens.stops[end - 1]]
                yield Phrase(first, begin, end, name, tuple(words[begin:end]), _stems(name), mention)


@remembered
def _part(word: str) -> str:
    return "|" if len(word) > LONGEST_WORD or breaks(word) else "e" if ends_phrase(word) else "-"


def _parted_at_odd_marks(parts: str, gaps: Sequence[str]) -> str:
    """Phrases end at marks that are no tokens: quotes, bullets, dashes."""
    marked = list(parts)
    for at, gap in enumerate(gaps[1:-1]):
        if marked[at] == "-" and gap.strip():
            marked[at] = "e"
    return "".join(marked)


def _undivided(parts: str, held: Mapping[int, Mention]) -> str:
    """The catalogue's names are never parted; behind one, a phrase ends where it would have ended."""
    marked = list(parts)
    for at, mention in held.items():
        marked[at] = "e" if parts[at] == "e" and held.get(at + 1) is not mention else "-"
    return "".join(marked)


@remembered
def _stems(name: str) -> tuple[str, ...]:
    return tuple(stems(name))


@remembered
def _says_nothing(word: str) -> bool:
    """Whether no name begins with the word."""
    return is_filler(word) or not (word[0].isalpha() or "-" in word)


def _held(starts: Sequence[int], stops: Sequence[int], mentions: Sequence[Mention]) -> dict[int, Mention]:
    """The tokens that belong to mentions."""
    held: dict[int, Mention] = {}
    at = 0
    for mention in mentions:
        at = bisect_right(stops, mention.start, at)
        while at < len(starts) and starts[at] < mention.stop:
            held[at] = mention
            at += 1
    return held
