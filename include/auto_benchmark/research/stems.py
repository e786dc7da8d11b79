"""Words reduced so that inflections and spellings meet.

Consistency matters here, not linguistics: the catalogue and the texts go through the same reduction.
"""

from __future__ import annotations

import re

from auto_benchmark.research.remembered import remembered

_WORD, _ASCII_WORD = re.compile(r"([^\W_]+)"), re.compile(r"([a-zA-Z0-9]+)")
"""Letters and digits; hyphens part words. Two ways to say so: the second is faster."""


def words_of(text: str) -> list[str]:
    """The words of a text."""
    return (_ASCII_WORD if text.isascii() else _WORD).findall(text)


@remembered
def words_within(chunk: str) -> tuple[str, ...]:
    """The words of what stands between two spaces; nearly all chunks were met before."""
    return tuple(words_of(chunk))


_BRITISH = (("isation", "ization"), ("ise", "ize"), ("ising", "izing"), ("ised", "ized"))


@remembered
def stem(word: str) -> str:
    """Without plural, ``-ation``, ``-ing``, ``-ed`` and last ``e``: ``quantised``, ``quantization`` -> ``quantiz``."""
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


@remembered
def singular(word: str) -> str:
    """Lower case, American spelling, singular."""
    word = word.lower()
    for british, american in _BRITISH:
        if word.endswith(british) and len(word) > 6:
            word = word.removesuffix(british) + american
    if len(word) > 4 and word.endswith("ies"):
        return word[:-3] + "y"
    return word[:-1] if len(word) > 3 and word.endswith("s") and not word.endswith(("ss", "us", "is")) else word


def stems(text: str) -> list[str]:
    """Stems of all words of a text."""
    return list(map(stem, words_of(text)))


@remembered
def stems_within(chunk: str) -> tuple[str, ...]:
    """Stems of the words of what stands between two spaces."""
    return tuple(map(stem, words_of(chunk)))
