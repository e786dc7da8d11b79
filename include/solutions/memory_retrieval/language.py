"""What is learned from answered training questions: which words ask for which, and where answers stand."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from corpus import WORD, Conversation, Question, Vocabulary
from knobs import Knobs

NOVEL, EDGE = 0, 1
FIRST_WORD = 2


@dataclass(slots=True)
class Language:
    """Statistics over the *known* words (those of several training conversations); all others are one class.

    Attributes:
        known: (vocabulary,) class of each word; 0 = novel.
        translation: (classes, classes) share of evidence-turn word given question word.
        ask, tell: (classes, dim) dense vectors of question words and of turn words.
        before, after, own: (classes,) log-odds of standing in an answer, by neighbour and by own class.
        factual: (classes,) log-odds of standing in evidence rather than elsewhere.
    """

    known: np.ndarray
    translation: np.ndarray
    ask: np.ndarray
    tell: np.ndarray
    before: np.ndarray
    after: np.ndarray
    own: np.ndarray
    factual: np.ndarray

    def widen(self, size: int) -> None:
        """Make room for words that training has not seen: they are novel."""
        self.known = np.pad(self.known, (0, max(0, size - len(self.known))))

    def classes(self, ids: list[int]) -> np.ndarray:
        """Class of each word."""
        return self.known[ids] if ids else np.zeros(0, int)


def evidence(conversation: Conversation, question: Question) -> list[int]:
    """Turns that hold the answer of a training question."""
    answer = WORD.findall(question.answer or "")
    if not answer:
        return []
    n = len(answer)
    return [
        t
        for t, text in enumerate(conversation.texts)
        if answer[0] in text and text[text.index(answer[0]) :][:n] == answer
    ]


def known_words(conversations: list[Conversation], size: int) -> np.ndarray:
    """Number the words that at least a sixth of the training conversations use."""
    spread = np.zeros(size, int)
    for conversation in conversations:
        words = {w for turn in conversation.turns for w in turn}
        words.update(w for q in conversation.questions for w in q.words)
        spread[list(words)] += 1
    known = np.zeros(size, int)
    common = np.flatnonzero(spread >= max(2, len(conversations) // 6))
    known[common] = np.arange(len(common)) + FIRST_WORD
    return known


def _log_odds(inside: np.ndarray, outside: np.ndarray) -> np.ndarray:
    a, b = inside + 0.5, outside + 0.5
    return np.log(a / a.sum()) - np.log(b / b.sum())


def _embed(pairs: np.ndarray, dim: int, rng: np.random.Generator) -> tuple[np.ndarray, np.ndarray]:
    """Factor positive pointwise mutual information by a randomised range finder (Halko et al. 2011)."""
    joint = pairs / max(pairs.sum(), 1)
    expected = joint.sum(1, keepdims=True) * joint.sum(0, keepdims=True)
    with np.errstate(divide="ignore", invalid="ignore"):
        pmi = np.where(joint > 0, np.log(joint / expected), 0.0)
    pmi = np.maximum(pmi, 0.0)
    basis = np.linalg.qr(pmi @ (pmi.T @ (pmi @ rng.standard_normal((len(pmi), dim)))))[0]
    return basis, (basis.T @ pmi).T


def learn(
    conversations: list[Conversation], vocabulary: Vocabulary, knobs: Knobs, rng: np.random.Generator
) -> Language:
    """Learn from training conversations."""
    known = known_words(conversations, len(vocabulary))
    size = int(known.max()) + 1
    pairs = np.zeros((size, size))
    answers, others = np.zeros((3, size)), np.zeros((3, size))
    telling, anywhere = np.zeros(size), np.zeros(size)
    for conversation in conversations:
        for turn in conversation.turns:
            anywhere[np.unique(known[turn])] += 1
        for question in conversation.questions:
            asked = np.unique(known[question.words])
            for t in evidence(conversation, question):
                told = known[conversation.turns[t]]
                pairs[np.ix_(asked, np.unique(told))] += 1
                telling[np.unique(told)] += 1
                parts = set(WORD.findall(question.answer or ""))
                inside = np.array([word in parts for word in conversation.texts[t]])
                for row, column in enumerate(_neighbourhood(told)):
                    np.add.at(answers[row], column[inside], 1)
                    np.add.at(others[row], column[~inside], 1)
    pairs[:FIRST_WORD] = pairs[:, :FIRST_WORD] = 0
    ask, tell = _embed(pairs, min(knobs.dense_dim, size), rng)
    before, after, own = (_log_odds(answers[i], others[i]) for i in range(3))
    translation = pairs / np.maximum(pairs.sum(1, keepdims=True), 1)
    prior = pairs.sum(0) / max(pairs.sum(), 1)
    lifted = np.maximum(translation - prior, 0)
    factual = _log_odds(telling, np.maximum(anywhere - telling, 0))
    return Language(known, lifted, ask, tell, before, after, own, factual)


def _neighbourhood(classes: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    before = np.concatenate([[EDGE], classes[:-1]])
    after = np.concatenate([classes[1:], [EDGE]])
    return before, after, classes


def answer_span(language: Language, conversation: Conversation, turn: int) -> tuple[str, float]:
    """The run of words of a turn that most looks like an answer, and how much so; ``("", 0)`` when none does."""
    before, after, own = _neighbourhood(language.classes(conversation.turns[turn]))
    odds = language.before[before] + language.after[after] + language.own[own]
    best, best_score, start, total = (0, 0), 0.0, 0, 0.0
    for i, value in enumerate(odds.tolist()):
        if value <= 0:
            start, total = i + 1, 0.0
            continue
        total += value
        if total > best_score:
            best, best_score = (start, i + 1), total
    return " ".join(conversation.texts[turn][best[0] : best[1]]), best_score
