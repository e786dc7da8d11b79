"""A language model behind an OpenAI-compatible endpoint as a candidate: ``llm:CONN`` or ``llm:CONN:MODEL``."""

from __future__ import annotations

from collections.abc import Mapping, MutableMapping, Sequence
from dataclasses import dataclass

from auto_benchmark.construction.candidate import Candidate, Kind, Solved
from auto_benchmark.construction.item import Asked
from auto_benchmark.llm.chat import Chat, ChatFailed, Message
from auto_benchmark.sources.connection import Connections

PREFIX = "llm:"
EXAMPLES = 3
"""Solved items that a model is shown; of a dialogue none, since their keys are no answers."""
BRIEFLY = "Answer with the answer alone, without a sentence around it."
MOST_TOKENS = 20_000_000
LONGEST_CALL_S = 120.0


@dataclass(frozen=True, slots=True)
class EndpointCandidate:
    """Asks a model item by item; rules are its system message.

    Attributes:
        chat: counts, and keeps answers, so that a construction that goes on pays for none twice.
    """

    name: str
    chat: Chat
    kind: Kind = Kind.EXTERNAL
    modalities: frozenset[str] = frozenset({"text", "dialogue"})
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
        return [self.chat.converse(messages(one, examples), within_s=LONGEST_CALL_S).strip() for one in asked]


def messages(asked: Asked, examples: Sequence[Solved]) -> list[Message]:
    """One item as a conversation."""
    if asked.rules:
        return [{"role": "system", "content": asked.rules}, {"role": "user", "content": _shown(asked)}]
    shown: list[Message] = [{"role": "system", "content": BRIEFLY}]
    for one, key in examples[:EXAMPLES]:
        shown += [{"role": "user", "content": _shown(one)}, {"role": "assistant", "content": str(key)}]
    return [*shown, {"role": "user", "content": _shown(asked)}]


def _shown(asked: Asked) -> str:
    options = f"One of: {', '.join(asked.options)}" if asked.options else ""
    return "\n\n".join(part for part in (asked.question, asked.context, options) if part)


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
