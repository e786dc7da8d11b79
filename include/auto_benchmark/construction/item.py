"""An item: what is asked, its key, and the evidence that the key comes from."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Literal, Self

Scalar = int | float | str
Params = Mapping[str, Scalar]
Answer = int | str
Evidence = Mapping[str, Any]
"""Privileged information, plain JSON: who writes the item has it, who answers it has not."""


@dataclass(frozen=True, slots=True)
class Media:
    """A picture or a sound that belongs to an item."""

    kind: Literal["png", "wav"]
    content: bytes

    @property
    def sha256(self) -> str:
        """Checksum of the content."""
        return hashlib.sha256(self.content).hexdigest()


@dataclass(frozen=True, slots=True)
class Asked:
    """What a candidate sees of an item.

    Attributes:
        question: in words.
        context: what the question is about, as text.
        options: the answers to choose from; empty where the answer is open.
        media: a picture or a sound.
        rules: what whoever runs the candidate has laid down; a model gets them as its system message.
    """

    question: str
    context: str = ""
    options: tuple[str, ...] = ()
    media: Media | None = None
    rules: str = ""

    @classmethod
    def of(cls, given: Mapping[str, Any], media: Media | None) -> Self:
        """What an item's ``input`` says, with the bytes of its media."""
        options = tuple(given.get("options", ()))
        return cls(given["question"], given.get("context", ""), options, media, given.get("rules", ""))

    def text(self) -> str:
        """All of it that can be read, one line after the other."""
        return "\n".join(part for part in (self.rules, self.context, self.question, *self.options) if part)


@dataclass(frozen=True, slots=True)
class Item:
    """One item of a benchmark under construction.

    Attributes:
        source: name of the card that it comes from.
        form: of that source.
        params: of the description that it was drawn for.
        evidence: privileged data; question and key follow from it.
        asked: what a candidate sees.
        answer: the key.
        salience: how much the item's subject matters by the form's declared proxy, in [0, 1]; None without one.
    """

    source: str
    form: str
    params: Params
    evidence: Evidence
    asked: Asked
    answer: Answer
    salience: float | None = None

    @property
    def id(self) -> str:
        """Hash of what a candidate sees, so that it reveals no more than that."""
        media = self.asked.media.sha256 if self.asked.media else ""
        return hashlib.sha256(f"{self.asked.text()}\0{media}".encode()).hexdigest()[:16]

    @property
    def media_name(self) -> str | None:
        """Where its picture or sound lies, relative to the benchmark's folder."""
        return f"media/{self.id}.{self.asked.media.kind}" if self.asked.media else None

    def input(self) -> dict[str, Any]:
        """What a trial is given, plain JSON."""
        asked = self.asked
        optional = {"rules": asked.rules, "context": asked.context, "options": list(asked.options)}
        media = [self.media_name] if self.media_name else []
        return {
            "question": asked.question,
            **{k: v for k, v in optional.items() if v},
            **({"media": media} if media else {}),
        }

    def record(self) -> dict[str, Any]:
        """Everything but the bytes of its media, plain JSON."""
        return {
            "id": self.id, "source": self.source, "form": self.form, "params": dict(self.params),
            "input": self.input(), "answer": self.answer, "salience": self.salience,
            "media_sha256": self.asked.media.sha256 if self.asked.media else None, "evidence": dict(self.evidence),
        }  # fmt: skip

    @classmethod
    def of(cls, record: Mapping[str, Any], media: Media | None) -> Self:
        """The item of a :meth:`record`, with the bytes of its media."""
        asked = record["input"]
        return cls(
            source=record["source"], form=record["form"], params=record["params"], evidence=record["evidence"],
            asked=Asked.of(asked, media),
            answer=record["answer"], salience=record["salience"],
        )  # fmt: skip


def canonical(value: Any) -> str:
    """Plain JSON as one text that is the same for equal values."""
    return json.dumps(value, sort_keys=True, ensure_ascii=True, default=list)
