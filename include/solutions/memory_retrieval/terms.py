"""Sparse (lexical) evidence: BM25 over words and word n-grams, with query expansion and feedback."""

from __future__ import annotations

import numpy as np
from corpus import Conversation
from knobs import Knobs
from language import Language

WINDOW_FADE = 0.7
EXPANSION_WEIGHT = 0.6
FEEDBACK_WEIGHT = 0.4


def ngrams(rows: list[list[int]], longest: int, size: int) -> tuple[np.ndarray, np.ndarray]:
    """Codes of all n-grams up to ``longest`` and the row each belongs to."""
    flat = np.array([w for row in rows for w in row], np.int64)
    owner = np.repeat(np.arange(len(rows)), [len(row) for row in rows])
    codes, owners, code = [flat], [owner], flat
    for n in range(2, longest + 1):
        code = code[:-1] * size + flat[n - 1 :] + size
        same = owner[: len(code)] == owner[n - 1 :]
        codes.append(code[same])
        owners.append(owner[: len(code)][same])
    return np.concatenate(codes), np.concatenate(owners)


def counts(codes: np.ndarray, owners: np.ndarray, rows: int, columns: np.ndarray) -> np.ndarray:
    """(rows, columns) occurrences; codes that are no column are dropped."""
    place = np.minimum(np.searchsorted(columns, codes), len(columns) - 1)
    hit = columns[place] == codes
    flat = np.bincount(owners[hit] * len(columns) + place[hit], minlength=rows * len(columns))
    return flat.reshape(rows, len(columns)).astype(float)


def windowed(values: np.ndarray, conversation: Conversation, width: int) -> np.ndarray:
    """Let each turn that names nobody inherit from the preceding ``width`` turns of its session, fading."""
    total = values.copy()
    for back in range(1, min(width, len(values) - 1) + 1):
        inherits = (conversation.session[back:] == conversation.session[:-back]) & conversation.nameless[back:]
        total[back:] += WINDOW_FADE**back * values[:-back] * inherits[:, None]
    return total


class Terms:
    """Lexical scores of every turn of one conversation for every question.

    Attributes:
        columns: codes of the terms that questions or expansions can use.
        turns: (turns, columns) saturated weights; ``own`` without the window.
        idf: (columns,) weight of a term.
    """

    def __init__(
        self, conversation: Conversation, asked: list[list[int]], language: Language, size: int, knobs: Knobs
    ) -> None:
        self._language, self._knobs = language, knobs
        question_codes, question_rows = ngrams(asked, knobs.ngram_max, size)
        self.columns = np.union1d(np.flatnonzero(language.known), question_codes)
        codes, rows = ngrams(conversation.turns, knobs.ngram_max, size)
        self.own = counts(codes, rows, len(conversation.turns), self.columns)
        frequency = (self.own > 0).sum(0)
        self.idf = np.log1p((len(self.own) - frequency + 0.5) / (frequency + 0.5)) * (frequency > 0)
        wide = windowed(self.own, conversation, knobs.context_window)
        length = np.array([[len(turn)] for turn in conversation.turns], float)
        norm = 1 - knobs.length_norm + knobs.length_norm * length / max(length.mean(), 1.0)
        self.turns = wide / (wide + knobs.term_saturation * norm)
        self.queries = np.minimum(counts(question_codes, question_rows, len(asked), self.columns), 1) * self.idf
        self.queries += self._expansion(asked)

    def _expansion(self, asked: list[list[int]]) -> np.ndarray:
        """Terms that answers to such questions were told in, weighted by how characteristic they are."""
        extra = np.zeros((len(asked), len(self.columns)))
        terms = self._knobs.expansion_terms
        words = np.flatnonzero(self._language.known)
        place = np.searchsorted(self.columns, words)
        for row, ids in enumerate(asked):
            likely = self._language.translation[self._language.classes(ids)].sum(0)[self._language.known[words]]
            best = np.argsort(-likely, kind="stable")[:terms]
            extra[row, place[best]] = EXPANSION_WEIGHT * likely[best] / max(likely.max(), 1e-9)
        return extra * self.idf

    def scores(self) -> np.ndarray:
        """(questions, turns) in [0, 1], the best turn of each question at 1."""
        raw = self.queries @ self.turns.T
        if self._knobs.feedback_terms:
            best = self.own[raw.argmax(1)] * self.idf
            cut = -np.sort(-best, axis=1)[:, min(self._knobs.feedback_terms, best.shape[1]) - 1 :][:, :1]
            raw = raw + FEEDBACK_WEIGHT * (best * (best >= np.maximum(cut, 1e-9))) @ self.turns.T
        return raw / np.maximum(raw.max(1, keepdims=True), 1e-9)

    def summaries(self, session: np.ndarray) -> np.ndarray:
        """(questions, turns) match of each turn's whole session, in [0, 1]."""
        members = (np.arange(session.max() + 1)[:, None] == session).astype(float)
        summary = members @ self.own
        raw = self.queries @ (summary / (summary + 2.0)).T
        return (raw / np.maximum(raw.max(1, keepdims=True), 1e-9))[:, session]
