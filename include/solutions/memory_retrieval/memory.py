"""The memory system: learns from answered questions, then answers others."""

from __future__ import annotations

from dataclasses import dataclass

import logistic
import numpy as np
from corpus import Conversation, Vocabulary
from knobs import Knobs
from language import Language, evidence, learn
from retrieval import FEATURES, OF, Candidates, bridge, choose, find, places

UNKNOWN = "unknown"
SAMPLE_SHARE = 0.9


@dataclass(slots=True)
class Memory:
    """A trained system.

    Attributes:
        language: word statistics.
        ranker: weights of the re-ranker.
        confidence: weights of the model that says whether an answer is right.
    """

    knobs: Knobs
    vocabulary: Vocabulary
    language: Language
    ranker: np.ndarray
    confidence: np.ndarray

    def answer(self, conversation: Conversation) -> dict[str, str]:
        """Answer every question on a conversation."""
        candidates = self._find(conversation)
        chosen = choose(candidates, conversation, self.ranker, self.knobs)
        sure = logistic.predict(self.confidence, _doubts(candidates, chosen))
        rows = np.arange(len(chosen))
        turns = candidates.turns[rows, chosen]
        return {
            q.id: candidates.spans[t] if s >= self.knobs.abstention_threshold else UNKNOWN
            for q, t, s in zip(conversation.questions, turns.tolist(), sure.tolist(), strict=True)
        }

    def _find(self, conversation: Conversation) -> Candidates:
        asked = [q.words for q in conversation.questions]
        of = self.vocabulary.number(OF)
        named = places(conversation)
        for _ in range(self.knobs.multi_hop_steps - 1):
            asked = [bridge(conversation, named, words, of) or words for words in asked]
        months = np.array([q.month for q in conversation.questions], int)
        return find(conversation, asked, months, self.language, len(self.vocabulary), self.knobs)


def _doubts(candidates: Candidates, chosen: np.ndarray) -> np.ndarray:
    """(questions, features) of the confidence model: the chosen turn's evidence and its lead over the second best."""
    rows = np.arange(len(chosen))
    score = candidates.scores
    second = np.sort(score, axis=1)[:, -2] if score.shape[1] > 1 else np.zeros(len(score))
    lead = score[rows, chosen] - second
    return np.column_stack(
        [candidates.features[rows, chosen], np.clip(score[rows, chosen], -1, 3), np.clip(lead, -1, 1)]
    )


def train(
    conversations: list[Conversation], vocabulary: Vocabulary, knobs: Knobs, rng: np.random.Generator
) -> Memory:
    """Fit everything on a random sample of the training conversations.

    Args:
        conversations: with answers.
        vocabulary: of training and evaluation conversations.
        knobs: the configuration.
        rng: fixes the sample and the random projection.
    """
    size = min(len(conversations), max(2, round(SAMPLE_SHARE * len(conversations))))
    sample = [conversations[i] for i in rng.permutation(len(conversations))[:size]]
    language = learn(sample, vocabulary, knobs, rng)
    memory = Memory(knobs, vocabulary, language, np.zeros(FEATURES - 1), np.zeros(FEATURES + 3))
    found = [memory._find(conversation) for conversation in sample]
    x, y = zip(*(_ranked(c, f) for c, f in zip(sample, found, strict=True)), strict=True)
    memory.ranker = logistic.fit(np.concatenate(x), np.concatenate(y))
    doubts, right = [], []
    for conversation, candidates in zip(sample, found, strict=True):
        chosen = choose(candidates, conversation, memory.ranker, knobs)
        doubts.append(_doubts(candidates, chosen))
        turns = candidates.turns[np.arange(len(chosen)), chosen]
        right += [candidates.spans[t] == q.answer for q, t in zip(conversation.questions, turns, strict=True)]
    memory.confidence = logistic.fit(np.concatenate(doubts), np.array(right, float))
    return memory


def _ranked(conversation: Conversation, candidates: Candidates) -> tuple[np.ndarray, np.ndarray]:
    """Features of every candidate of answerable questions, and whether it is evidence."""
    x, y = [], []
    for row, question in enumerate(conversation.questions):
        true = set(evidence(conversation, question))
        if true:
            x.append(candidates.features[row, :, 2:])
            y += [float(t in true) for t in candidates.turns[row].tolist()]
    return (np.concatenate(x) if x else np.zeros((0, FEATURES - 2))), np.array(y)
