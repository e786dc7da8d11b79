"""A model behind an OpenAI-compatible endpoint as a candidate: ``llm:CONN`` or ``llm:CONN:MODEL``.

A picture or a sound travels inside the question, never as an address that the endpoint would have to fetch.
"""

from __future__ import annotations

from base64 import b64encode
from collections.abc import Mapping, MutableMapping, Sequence
from dataclasses import dataclass
from typing import Any

from auto_benchmark.construction.candidate import Candidate, Kind, Solved
from auto_benchmark.construction.item import Asked, Media
from auto_benchmark.llm.chat import Chat, ChatFailed, Message, QuestionRefused
from auto_benchmark.sources.connection import Connections

PREFIX = "llm:"
EXAMPLES = 3
"""Solved items that a model is shown; of a dialogue none, since their keys are no answers."""
BRIEFLY = "Answer with the answer alone, without a sentence around it."
MOST_TOKENS = 20_000_000
LONGEST_CALL_S = 120.0
MOST_MEDIA_BYTES = 8 * 2**20
"""Of the pictures or sounds of one question, its examples among them; solved items that do not fit are not shown."""


@dataclass(frozen=True, slots=True)
class EndpointCandidate:
    """Asks a model item by item; rules are its system message.

    Attributes:
        chat: counts, and keeps answers, so that a construction that goes on pays for none twice.
    """

    name: str
    chat: Chat
    kind: Kind = Kind.EXTERNAL
    modalities: frozenset[str] = frozenset({"text", "dialogue", "picture", "sound"})
    sources: frozenset[str] = frozenset()

    @property
    def version(self) -> str:
        """The model's name."""
        return self.chat.model

    def answer(self, asked: Sequence[Asked], examples: Sequence[Solved]) -> Sequence[object]:
        """What the model says to each item, spaces at its ends aside.

        Raises:
            ChatFailed: the endpoint gives no answer, or the budget is spent.
        """
        return [self._said(one, examples) for one in asked]

    def _said(self, asked: Asked, examples: Sequence[Solved]) -> str:
        question = messages(asked, examples)
        try:
            return self.chat.converse(question, within_s=LONGEST_CALL_S).strip()
        except QuestionRefused as error:
            if asked.media is None:
                raise
            raise ChatFailed(
                f"{error} to a question with {_described(asked.media)}; not every model takes one"
            ) from None


def messages(asked: Asked, examples: Sequence[Solved]) -> list[Message]:
    """One item as a conversation.

    Raises:
        ChatFailed: its picture or sound is too large.
    """
    if asked.rules:
        return [{"role": "system", "content": asked.rules}, {"role": "user", "content": _shown(asked)}]
    left = MOST_MEDIA_BYTES - _size(asked)
    if left < 0 and asked.media is not None:
        raise ChatFailed(f"{_described(asked.media)} is larger than the {MOST_MEDIA_BYTES:,} bytes of a question")
    shown: list[Message] = [{"role": "system", "content": BRIEFLY}]
    for one, key in examples[:EXAMPLES]:
        left -= _size(one)
        if left >= 0:
            shown += [{"role": "user", "content": _shown(one)}, {"role": "assistant", "content": str(key)}]
    return [*shown, {"role": "user", "content": _shown(asked)}]


def _shown(asked: Asked) -> str | list[Mapping[str, Any]]:
    """The item's text, or parts: its text, and its picture or sound."""
    options = f"One of: {', '.join(asked.options)}" if asked.options else ""
    text = "\n\n".join(part for part in (asked.question, asked.context, options) if part)
    return text if asked.media is None else [{"type": "text", "text": text}, _part(asked.media)]


def _part(media: Media) -> Mapping[str, Any]:
    encoded = b64encode(media.content).decode("ascii")
    if media.kind == "png":
        return {"type": "image_url", "image_url": {"url": f"data:image/png;base64,{encoded}"}}
    return {"type": "input_audio", "input_audio": {"data": encoded, "format": media.kind}}


def _size(asked: Asked) -> int:
    return len(asked.media.content) if asked.media else 0


def _described(media: Media) -> str:
    return f"a {'picture' if media.kind == 'png' else 'sound'} of {len(media.content):,} bytes"


def endpoints(
    names: Sequence[str], connections: Connections | None, cache: MutableMapping[str, str], calls: int | None
) -> Mapping[str, Candidate]:
    """The endpoints among the candidates of a request, by name.

    Args:
        names: of all candidates.
        connections: finds them; None where none are declared.
        cache: digest of a question -> answer.
        calls: of the request's budget.

    Raises:
        ChatFailed: there are no connections here. InputError: there is no such connection.
    """
    found: dict[str, Candidate] = {}
    for name in names:
        if name.startswith(PREFIX):
            if connections is None:
                raise ChatFailed(f"{name}: no connections are declared here")
            conn_id, _, model = name.removeprefix(PREFIX).partition(":")
            chat = Chat(connections.get(conn_id), model or "default", calls or 10**6, MOST_TOKENS, cache)
            found[name] = EndpointCandidate(name, chat)
    return found
