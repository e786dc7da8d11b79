"""A user's own documents: extractive questions whose key is a word of a sentence that stands in the passage."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path
from random import Random
from typing import Any

from auto_benchmark.construction.item import Answer, Asked, Evidence, Params
from auto_benchmark.construction.source import Between, Card, Form, Source
from auto_benchmark.errors import InputError

SUFFIXES = (".txt", ".md")
LARGEST_BYTES = 16 * 2**20
_SENTENCE = re.compile(r"(?<=[.!?])\s+(?=[A-Z])|\n\s*\n")
_CONTROL = re.compile(r"[\x01-\x08\x0b-\x1f\x7f-\x9f]")
_NUMBER = re.compile(r"(?<![\w.,-])\d+(?![\w,-]|\.\d)")
_NAME = re.compile(r"(?<=[a-z,] )[A-Z][a-z]{2,}\b")
_KINDS = (
    ("number", "a number that a sentence names", ("number", "figure", "value"), _NUMBER),
    ("name", "a name that a sentence names", ("name", "entity", "who"), _NAME),
)
BLANK = "____"
GAP = "…"


def documents(folder: Path) -> Source:
    """A source over the text files of a folder.

    Raises:
        InputError: it cannot be read, or holds no sentence that a question can be made from.
    """
    passages = _passages(folder)
    forms = tuple(form for form in (_form(*kind, passages) for kind in _KINDS) if form is not None)
    if not forms:
        raise InputError(f"{folder}: no sentence of its .txt and .md files holds a number or a name to ask for")
    return Source(_card(f"{len(passages)} documents, {sum(map(len, passages))} sentences"), forms)


def reader() -> Source:
    """The same source without the documents: it verifies items that were made from them, and makes none."""
    return Source(_card("documents that are not here"), tuple(_made(*kind[:3], _nothing) for kind in _KINDS))


def _card(data: str) -> Card:
    return Card(
        name="documents",
        title="The documents of the request",
        modality="text",
        domains=("document", "documents", "reading", "text", "manual", "report", "comprehension"),
        data=data,
        licence="the owner's; passages stand in the items",
        key="the word that was taken out of the sentence",
        second_key="the sentence found again in the passage by the words around the gap",
    )


def _form(
    name: str, about: str, topics: tuple[str, ...], pattern: re.Pattern[str], passages: list[list[str]]
) -> Form | None:
    places = [(p, s, match.span()) for p, sentences in enumerate(passages) for s, sentence in enumerate(sentences)
              for match in pattern.finditer(sentence)]  # fmt: skip
    return _made(name, about, topics, _drawing(passages, places)) if places else None


def _made(name: str, about: str, topics: tuple[str, ...], draw: Callable[[Random, Params], Evidence]) -> Form:
    parameters = {"passage": Between(1, 12), "hidden_words": Between(0, 6)}
    return Form(name, about, topics, parameters, draw, _ask, lambda e: str(e["answer"]), _again)


def _nothing(random: Random, params: Params) -> Evidence:
    raise InputError("the documents are not here")


def _passages(folder: Path) -> list[list[str]]:
    try:
        files = sorted(p for p in folder.rglob("*") if p.suffix.lower() in SUFFIXES and p.is_file())
        texts = {p: p.read_text("utf-8-sig", errors="replace") for p in files if p.stat().st_size <= LARGEST_BYTES}
    except OSError as error:
        raise InputError(f"{folder}: cannot be read: {error.strerror or error}") from None
    if not folder.is_dir():
        raise InputError(f"{folder}: is not a folder")
    for path, text in texts.items():
        if "\0" in text:  # neither a sheet, a page nor a database holds it
            raise InputError(f"{path}: holds NUL, so that it is no text in UTF-8")
    return [[s for part in _SENTENCE.split(text) if (s := " ".join(_CONTROL.sub(" ", part).split()))]
            for text in texts.values()]  # fmt: skip


def _drawing(passages: list[list[str]], places: list[Any]) -> Callable[[Random, Params], Evidence]:
    def draw(random: Random, params: Params) -> Evidence:
        document, at, (start, end) = random.choice(places)
        sentences = passages[document]
        around = int(params["passage"])
        first = max(0, at - random.randint(0, around))
        passage = sentences[first : first + around + 1 + at - first]
        sentence = sentences[at]
        words = (sentence[:start] + BLANK + sentence[end:]).split()
        others = [i for i, word in enumerate(words) if BLANK not in word]
        for i in random.sample(others, min(int(params["hidden_words"]), max(0, len(others) - 3))):
            words[i] = GAP
        return {
            "passage": " ".join(passage),
            "sentence": sentence,
            "cloze": " ".join(words),
            "answer": sentence[start:end],
        }

    return draw


def _ask(e: Evidence) -> Asked:
    return Asked(
        f"What stands at {BLANK} in this sentence of the passage, words left out as {GAP}: {e['cloze']}", e["passage"]
    )


def _again(_: Evidence, asked: Asked) -> Answer:
    """Raises ValueError where more than one word of the passage fits."""
    cloze = asked.question.partition(": ")[2]
    pattern = re.escape(cloze).replace(re.escape(GAP), r"\S+").replace(re.escape(BLANK), r"([\w-]+)")
    found = set(re.findall(pattern.replace(r"\ ", r"\s+"), asked.context))
    if len(found) != 1:
        raise ValueError(f"{len(found)} words of the passage fit")
    return str(found.pop())
