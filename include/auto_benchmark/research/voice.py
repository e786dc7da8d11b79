"""Who speaks in a sentence: the authors about their own work, or about the work of others.

A claim counts only in the authors' own voice. Abstracts open with background, turn to the contribution at a marked
sentence ("we propose", "this paper", "to address this") and mostly stay there.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import lru_cache

from auto_benchmark.research.text import Sentence

_WORK = r"(?:paper|work|study|article|report|research)\b"
_PUT = r"(?:proposed|introduced|presented)\b"
_OWN = re.compile(
    rf"we\b(?<!\wwe)|ours?\b(?<!\wour)(?<!\wours)|this(?<!\wthis) {_WORK}|here,(?<!\where,)"
    rf"|the(?<!\wthe) (?:present {_WORK}|proposed\b)|is(?<!\wis) {_PUT}|are(?<!\ware) {_PUT}"
    r"|proposes?\b(?<!\wpropose)(?<!\wproposes)",
    re.ASCII,
)
"""Each alternative begins with a letter, so that the search leaps to these letters; that a word begins there is looked at
behind it. Three times as fast as a pattern that begins with a boundary."""
_OPENS_OWN = re.compile(
    r"(?:to|by) (?:address|tackl|overcom|mitigat|solv|this end|bridg|remed|alleviat|fill|do(?:ing)? so)"
)
_OTHERS = re.compile(
    r"^(?:existing|previous|prior|traditional|conventional|current(?:ly)?|most|many|several|typical(?:ly)?|earlier"
    r"|recent(?:ly)?|past|standard|however|but|yet|nevertheless|nonetheless|to date|while (?:existing"
    r"|previous|prior|recent|most|many)|unlike (?:existing|previous))\b",
    re.ASCII,
)
_ADDRESSED = re.compile(
    r"\b(?:ignore|disregard|forget|override) (?:all |any |of |the |your )*(?:previous|prior|above|earlier|preceding"
    r"|instructions)\b"
    r"|\bsystem prompt\b|^(?:you must|you are now|as an ai|dear (?:reviewer|model|assistant))\b",
    re.MULTILINE | re.ASCII,
)
_ORDERING = (
    "ignore", "disregard", "forget", "override", "system prompt", "you must", "you are now", "as an ai", "dear ",
)  # fmt: skip
"""Each alternative of ``_ADDRESSED`` holds one of these."""
_NAMED = re.compile(
    r"\b(?:propos\w+|introduc\w+|present|develop|call(?:ed)?|named|dubbed|termed|unveil|design)\b"
    r"(?:(?!\b(?:for|of|in|to|on|with|from|by|into|between)\b)[^.;]){0,80}?(?<![\w-])(?!(?:RL|LLM|NLP|GNN|CNN|RNN|LSTM|VLM"
    r"|ML|AI|QA|NER|RAG|GAN|VAE|KG|MT|NMT|ASR|TTS|BERT|GPT|SOTA|DNN|MDP|GP|RGB|VLN|VQA|ICL|PDE)s?\b)([A-Z][\w$+-]*(?:[A-Z0-9][\w+-]*)+)"
)
_CAPITALS = re.compile(r"[A-Z][\w$+-]*[A-Z0-9]")
_MAKING = ("propos", "introduc", "present", "develop", "call", "named", "dubbed", "termed", "unveil", "design")
_TITLE_NAME = re.compile(r"^([A-Z$µ][\w$+^.-]{1,30})\s*:")


def is_first_person(sentence: Sentence) -> bool:
    """Whether the authors say of themselves that they did something."""
    return _speaks_of_us(sentence.lower)


@lru_cache(maxsize=4096)
def _speaks_of_us(lower: str) -> bool:
    return " we " in lower or " our " in lower or bool(_OWN.search(lower) or _OPENS_OWN.match(lower))


def gives_orders(sentence: Sentence) -> bool:
    """Whether a sentence tells its reader what to do, as hostile texts do."""
    return _orders(sentence.lower)


def _orders(lower: str) -> bool:
    return any(word in lower for word in _ORDERING) and bool(_ADDRESSED.search(lower))


def system_names(title: Sentence, text: Sequence[Sentence]) -> frozenset[str]:
    """Names that the authors give to what they built, from the title's ``Name: ...`` and "we propose Name"."""
    return _names(title, tuple(sentence for sentence in text if _speaks_of_us(sentence.lower)))


@lru_cache(maxsize=8)  # two rules ask for the names of one text
def _names(title: Sentence, own: tuple[Sentence, ...]) -> frozenset[str]:
    names = set(_TITLE_NAME.findall(title.plain))
    for sentence in own:
        if any(word in sentence.lower for word in _MAKING) and _CAPITALS.search(sentence.plain):
            names.update(_NAMED.findall(sentence.plain))
    return frozenset(names)


def own_voice(title: Sentence, text: Sequence[Sentence]) -> list[bool]:
    """For each sentence, whether the authors speak about their own work.

    A sentence that gives its reader orders ("ignore previous instructions") claims nothing. A text without any
    first-person mark (a press note, one quoted sentence) is its author's own from the start.
    """
    first_person = [_speaks_of_us(s.lower) for s in text]
    names = _names(title, tuple(s for s, own in zip(text, first_person, strict=True) if own))
    marked = [own or any(name in s.plain for name in names) for s, own in zip(text, first_person, strict=True)]
    turned = not any(marked)
    orders = _orders("\n".join([sentence.lower for sentence in text]))
    voices = []
    for sentence, mark in zip(text, marked, strict=True):
        turned = turned or mark
        of_others = _OTHERS.match(sentence.lower) and not mark
        voices.append(turned and not of_others and not (orders and gives_orders(sentence)))
    return voices
