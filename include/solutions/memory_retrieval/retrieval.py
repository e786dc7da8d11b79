"""Answers the questions on one conversation: score every turn, look closer at the best, take the answer from one."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from corpus import Conversation
from knobs import Knobs
from language import Language, answer_span
from terms import Terms, counts, windowed

FEATURES = 6
NEAR_TIE = 0.85
OF = "of"


@dataclass(slots=True)
class Candidates:
    """The best turns of each question.

    Attributes:
        turns: (questions, k) turn numbers, best first.
        scores: (questions, k) first-stage scores.
        features: (questions, k, FEATURES) what the re-ranker and the confidence model look at.
        spans: answer of each turn of the conversation.
    """

    turns: np.ndarray
    scores: np.ndarray
    features: np.ndarray
    spans: list[str]


def _dense(language: Language, rows: list[list[int]], table: np.ndarray) -> np.ndarray:
    vectors = np.array([table[language.classes(ids)].sum(0) for ids in rows])
    return vectors / np.maximum(np.linalg.norm(vectors, axis=1, keepdims=True), 1e-9)


def _names(conversation: Conversation, asked: list[list[int]], width: int) -> tuple[np.ndarray, np.ndarray]:
    """Whether a turn, or its window, names someone of whom the question asks."""
    people = np.array(sorted(conversation.names), np.int64)
    if not len(people):
        nothing = np.zeros((len(asked), len(conversation.turns)))
        return nothing, nothing
    said = _membership(conversation.turns, people)
    wanted = _membership(asked, people)
    own = np.minimum(wanted @ said.T, 1)
    near = np.minimum(wanted @ np.minimum(windowed(said, conversation, width), 1).T, 1)
    return own, near


def _membership(rows: list[list[int]], words: np.ndarray) -> np.ndarray:
    flat = np.array([w for row in rows for w in row], np.int64)
    owner = np.repeat(np.arange(len(rows)), [len(row) for row in rows])
    return np.minimum(counts(flat, owner, len(rows), words), 1)


def _age(conversation: Conversation, months: np.ndarray, use_months: bool) -> np.ndarray:
    """(questions, turns) share of the conversation that passed between a turn and the asked time; after it = 3."""
    last = int(conversation.session.max())
    now = np.where((months >= 0) & use_months, months, last)[:, None]
    age = (now - conversation.session[None]) / max(last, 1)
    return np.where(age < 0, 3.0, age)


def find(
    conversation: Conversation,
    asked: list[list[int]],
    months: np.ndarray,
    language: Language,
    size: int,
    knobs: Knobs,
) -> Candidates:
    """First stage: weigh all signals and keep the best turns of each question."""
    terms = Terms(conversation, asked, language, size, knobs)
    lexical, summary = terms.scores(), terms.summaries(conversation.session)
    dense = _dense(language, asked, language.ask) @ _dense(language, conversation.turns, language.tell).T
    age = _age(conversation, months, knobs.time_filter)
    found = [answer_span(language, conversation, t) for t in range(len(conversation.turns))]
    spans, span_odds = [span for span, _ in found], np.array([odds for _, odds in found])
    score = knobs.lexical_weight * lexical + (1 - knobs.lexical_weight) * dense
    score = score + knobs.summary_weight * summary - knobs.recency_decay * np.minimum(age, 1.0)
    score = score - 9.0 * (span_odds <= 0) - 4.0 * (age > 1) * knobs.time_filter
    top = np.argsort(-score, axis=1, kind="stable")[:, : knobs.top_k]
    own, near = _names(conversation, asked, knobs.context_window)
    factual = np.array([language.factual[np.unique(language.classes(turn))].sum() for turn in conversation.turns])
    rows = np.arange(len(asked))[:, None]
    features = np.stack(
        [lexical[rows, top], dense[rows, top], own[rows, top], near[rows, top], factual[top] / 4, span_odds[top] / 8],
        axis=-1,
    )
    return Candidates(top, score[rows, top], features, spans)


def choose(candidates: Candidates, conversation: Conversation, ranker: np.ndarray, knobs: Knobs) -> np.ndarray:
    """Second stage: column of the chosen candidate of each question."""
    closer = candidates.features[..., 2:] @ ranker[:-1] + ranker[-1]
    score = candidates.scores + knobs.rerank_weight / (1 + np.exp(-closer))
    if knobs.update_handling == "latest":
        best = score.max(1, keepdims=True)
        named = candidates.features[..., 3] >= candidates.features[..., 3].max(1, keepdims=True)
        tied = (score >= best - (1 - NEAR_TIE) * np.abs(best)) & named | (score == best)
        score = np.where(tied, 10 + conversation.session[candidates.turns] + 1e-3 * score, score)
    return score.argmax(1)


def places(conversation: Conversation) -> dict[int, list[int]]:
    """Turns that name each person."""
    found: dict[int, list[int]] = {name: [] for name in conversation.names}
    for t, turn in enumerate(conversation.turns):
        for name in conversation.names.intersection(turn):
            found[name].append(t)
    return found


def bridge(conversation: Conversation, named: dict[int, list[int]], asked: list[int], of: int) -> list[int] | None:
    """Replace "the x of name" by the person that a turn says it is; None when no turn does.

    Args:
        conversation: where to look.
        named: its :func:`places`.
        asked: words of the question.
        of: number of the word "of".
    """
    for i in range(2, len(asked)):
        tie, name = asked[i - 2], asked[i]
        if asked[i - 1] != of or name not in named:
            continue
        best, person = 0, None
        for turn in (conversation.turns[t] for t in named[name]):
            others = [w for w in turn if w in named and w not in asked] if tie in turn else []
            at = turn.index(name)
            fit = 2 if turn[max(at - 2, 0) : at] == [tie, of] else int(bool(others) and at < turn.index(tie))
            if others and fit > best:
                best, person = fit, others[0]
        if person is not None:
            return [*asked[: i - 2], person, *asked[i + 1 :]]
    return None
