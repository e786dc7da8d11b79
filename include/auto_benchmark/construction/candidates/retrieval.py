"""Readers written here: the line of the context that resembles the question most, and one word of it."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from auto_benchmark import __version__ as VERSION  # noqa: N812
from auto_benchmark.construction.candidate import Candidate, Kind, Solved
from auto_benchmark.construction.item import Asked

_WORD = re.compile(r"[\w-]+")


@dataclass(frozen=True, slots=True)
class RetrievalReader:
    """Looks for a line by TF-IDF and answers with a word of it that the question has not.

    Attributes:
        characters: compare character sequences instead of words.
        latest: of lines that are nearly as similar, take the last.
        pick: which unknown word: the first or the last.
    """

    name: str
    characters: bool = False
    latest: bool = False
    pick: str = "last"
    version: str = VERSION
    kind: Kind = Kind.OWN
    modalities: frozenset[str] = frozenset({"text"})
    sources: frozenset[str] = frozenset()

    def answer(self, asked: Sequence[Asked], examples: Sequence[Solved]) -> Sequence[object]:
        """Examples tell the reader whether answers are numbers, names or lower-case words."""
        shapes = [_shape(str(key)) for _, key in examples]
        usual = max(set(shapes), key=shapes.count) if shapes else "word"
        return [self._one(one, usual) for one in asked]

    def _one(self, asked: Asked, usual: str) -> object:
        lines = [line for line in re.split(r"\n|(?<=[.!?]) ", asked.context or asked.question) if line.strip()]
        known = {word.casefold() for word in _WORD.findall(asked.question)}
        for line in self._ranked(lines, asked.question):
            words = [w for w in _WORD.findall(line) if asked.options or w.casefold() not in known]
            fits = [w for w in words if (w in asked.options if asked.options else _shape(w) == usual)]
            if fits:
                return fits[0] if self.pick == "first" else fits[-1]
        return asked.options[0] if asked.options else None

    def _ranked(self, lines: list[str], question: str) -> list[str]:
        from sklearn.feature_extraction.text import TfidfVectorizer

        how = {"analyzer": "char_wb", "ngram_range": (3, 4)} if self.characters else {"token_pattern": r"(?u)\w+"}
        if not lines:
            return []
        tfidf = TfidfVectorizer(**how)
        vectors = tfidf.fit_transform([*lines, question])
        alike = (vectors[:-1] @ vectors[-1].T).toarray().ravel()
        order = sorted(range(len(lines)), key=lambda i: (-round(float(alike[i]), 1 if self.latest else 6), -i))
        return [lines[i] for i in order]


def _shape(word: str) -> str:
    return "number" if word.lstrip("-").isdigit() else "name" if word[:1].isupper() else "word"


READERS: tuple[Candidate, ...] = (
    RetrievalReader("reader_words"),
    RetrievalReader("reader_words_first", pick="first"),
    RetrievalReader("reader_characters", characters=True),
    RetrievalReader("reader_latest", latest=True),
)
