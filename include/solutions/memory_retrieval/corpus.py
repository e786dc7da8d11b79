"""Conversations and questions as arrays of word numbers."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
from knobs import Knobs

WORD = re.compile(r"[A-Za-z][A-Za-z'-]*")
MONTH = re.compile(r"\[([A-Z][a-z]+)\]")
Ids = np.ndarray


@dataclass(slots=True)
class Question:
    """A question; ``answer`` only in training data."""

    id: str
    words: list[int]
    month: int
    answer: str | None


@dataclass(slots=True)
class Conversation:
    """One conversation, its turns in order.

    Attributes:
        texts: words of each turn as written.
        turns: word numbers of each turn.
        session: session number of each turn.
        names: word numbers that may name people: capitalised within sentences, and recurring.
        nameless: (turns,) whether a turn names nobody.
    """

    texts: list[list[str]] = field(default_factory=list)
    turns: list[list[int]] = field(default_factory=list)
    session: Ids = field(default_factory=lambda: np.zeros(0, int))
    questions: list[Question] = field(default_factory=list)
    names: set[int] = field(default_factory=set)
    nameless: Ids = field(default_factory=lambda: np.zeros(0, bool))


def stem(word: str, how: str) -> str:
    """Cut endings: ``light`` the regular ones, ``prefix`` everything after four letters."""
    if how == "prefix":
        return word[:4]
    if how == "light" and len(word) > 3:
        if word.endswith("ies"):
            return word[:-3] + "y"
        if word.endswith("ing") and len(word) > 5:
            return word[:-3]
        if word.endswith("s") and not word.endswith("ss"):
            return word[:-1]
    return word


class Vocabulary:
    """Words of all conversations, numbered in order of appearance; ``words`` are numbered already."""

    def __init__(self, knobs: Knobs, words: Iterable[str] = ()) -> None:
        self._how = knobs.stemming
        self._numbers: dict[str, int] = {word: number for number, word in enumerate(words)}
        self._seen: dict[str, int] = {}
        self.months: dict[int, int] = {}

    def __len__(self) -> int:
        return len(self._numbers)

    def words(self) -> list[str]:
        """All words, stemmed, by number."""
        return list(self._numbers)

    def number(self, word: str) -> int:
        """Number of a word as written."""
        found = self._seen.get(word)
        if found is None:
            key = stem(word.lower(), self._how)
            found = self._seen[word] = self._numbers.setdefault(key, len(self._numbers))
        return found


def read(path: Path, vocabulary: Vocabulary) -> list[Conversation]:
    """Read context and item rows of one file; items belong to the context they name, or bring it as a transcript."""
    found: dict[str, Conversation] = {}
    with path.open(encoding="utf-8") as lines:
        for row in map(json.loads, lines):
            if "input" in row:
                asked = row["input"]
                conversation = found[row["id"]] = _conversation(_sessions(asked["context"]), vocabulary)
                conversation.questions.append(_question({**row, "question": asked["question"]}, vocabulary))
            elif "id" in row:
                found[row["context"]].questions.append(_question(row, vocabulary))
            else:
                found[row["context"]] = _conversation(row["sessions"], vocabulary)
    return list(found.values())


def _sessions(transcript: str) -> list[dict[str, Any]]:
    """The sessions of a transcript: ``[January]`` opens one, ``user: words`` is a turn; anything else is no speech."""
    found: list[dict[str, Any]] = []
    for line in transcript.splitlines():
        if opened := MONTH.fullmatch(line):
            found.append({"month": opened.group(1), "turns": []})
        elif found and ": " in line:
            found[-1]["turns"].append({"text": line.partition(": ")[2]})
    return found


def _conversation(sessions: Iterable[dict[str, Any]], vocabulary: Vocabulary) -> Conversation:
    conversation = Conversation()
    session_of = []
    seen: dict[int, int] = {}
    inside: set[int] = set()
    number = vocabulary.number
    for s, session in enumerate(sessions):
        vocabulary.months[number(session["month"])] = s
        for turn in session["turns"]:
            text = WORD.findall(turn["text"])
            ids = [number(word) for word in text]
            conversation.texts.append(text)
            conversation.turns.append(ids)
            session_of.append(s)
            for at, (word, i) in enumerate(zip(text, ids, strict=True)):
                if word[0].isupper() and len(word) > 1:
                    seen[i] = seen.get(i, 0) + 1
                    if at:
                        inside.add(i)
    if not session_of:  # nothing was said: one silent turn, so that there is something to score
        conversation.texts, conversation.turns, session_of = [[]], [[]], [0]
    conversation.session = np.array(session_of, int)
    conversation.names = {i for i, n in seen.items() if n >= 4 and i in inside}
    conversation.nameless = np.array([conversation.names.isdisjoint(turn) for turn in conversation.turns])
    return conversation


def _question(row: dict[str, Any], vocabulary: Vocabulary) -> Question:
    ids = [vocabulary.number(word) for word in WORD.findall(row["question"])]
    months = [vocabulary.months[i] for i in ids if i in vocabulary.months]
    answer = row.get("answer")
    return Question(row["id"], ids, months[0] if months else -1, None if answer is None else str(answer))
