"""Questions to an OpenAI-compatible endpoint: bounded in calls and tokens, cached."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping, MutableMapping, Sequence
from dataclasses import dataclass
from typing import Any, Protocol

from auto_benchmark.documents import storable
from auto_benchmark.errors import AutoBenchmarkError
from auto_benchmark.http.errors import CallRefusedError, UnreachableError

LONGEST_MESSAGE = 2_000_000
"""Characters of an answer. A model's longest is a tenth of it."""
CHARACTERS_PER_TOKEN = 8
"""An endpoint that counts fewer tokens than this makes of its text is not believed."""
MOST_TOKENS = 10**12
"""Of one call; a number that is longer than any float ends no run."""
PATH, NOT_FOUND = "chat/completions", 404
REFUSED = (400, 413, 415, 422)
"""Statuses of a question that is malformed, too large, or of a kind that the model does not take."""
Message = Mapping[str, Any]
"""``{"role", "content"}``; the content is a text, or parts of which those of type ``text`` have one."""


class ChatFailed(AutoBenchmarkError):  # noqa: N818 - reads as what happened
    """The endpoint gave no usable answer, or the budget is spent. The rules' findings stand alone then."""


class QuestionRefused(ChatFailed):
    """The endpoint is there and takes no such question."""


class Reply(Protocol):
    """What an endpoint answered."""

    @property
    def status(self) -> int:
        """HTTP status."""
        ...

    @property
    def content(self) -> bytes:
        """Body."""
        ...


class Endpoint(Protocol):
    """A named HTTP endpoint with its credentials (``sources.connection``, or an Airflow Connection)."""

    def post(self, path: str, body: Mapping[str, Any], *, within_s: float | None = None) -> Reply:
        """POST a JSON body; ``within_s`` bounds the call with its repeats, and how long the endpoint may be silent."""
        ...


@dataclass(slots=True)
class Chat:
    """Asks one model, and counts.

    Attributes:
        endpoint: where.
        model: which.
        max_calls: questions in all; the endpoint may repeat one that met trouble.
        max_tokens: tokens in all, as the endpoint reports them, but no fewer than its text is long.
        cache: digest of the question -> answer; may persist.
    """

    endpoint: Endpoint
    model: str
    max_calls: int
    max_tokens: int
    cache: MutableMapping[str, str]
    calls: int = 0
    tokens: int = 0

    def ask(self, instructions: str, text: str) -> Any:
        """The model's JSON answer about ``text``.

        Raises:
            ChatFailed: budget spent, endpoint failed, or no JSON came back.
        """
        messages = [{"role": "system", "content": instructions}, {"role": "user", "content": text}]
        said = self._cached({"response_format": {"type": "json_object"}, "messages": messages}, None)
        try:
            return json.loads(said)
        except (ValueError, RecursionError):
            raise ChatFailed("the model's answer is not JSON") from None

    def converse(self, messages: Sequence[Message], *, within_s: float | None = None) -> str:
        """What the model says next.

        Args:
            messages: so far.
            within_s: for the call; a model may be silent for as long. By default as other endpoints.

        Raises:
            ChatFailed: budget spent, or the endpoint failed.
        """
        return self._cached({"messages": [dict(message) for message in messages]}, within_s)

    def _cached(self, question: Mapping[str, Any], within_s: float | None) -> str:
        body = {"model": self.model, "temperature": 0, **question}
        key = hashlib.sha256(json.dumps(body, sort_keys=True).encode()).hexdigest()
        if key not in self.cache:
            self.cache[key] = self._call(body, within_s)
        return self.cache[key]

    def _call(self, body: Mapping[str, Any], within_s: float | None) -> str:
        if self.calls >= self.max_calls or self.tokens >= self.max_tokens:
            raise ChatFailed(f"budget spent: {self.calls} calls, {self.tokens} tokens")
        self.calls += 1
        bounds = {} if within_s is None else {"within_s": within_s}
        try:
            reply = self.endpoint.post(PATH, body, **bounds)
            if reply.status == NOT_FOUND:  # the address may end before the version, as a Connection's host does
                reply = self.endpoint.post(f"v1/{PATH}", body, **bounds)
        except (UnreachableError, CallRefusedError) as error:
            raise ChatFailed(f"the endpoint gives no answer: {error}") from None
        if reply.status != 200:
            failure = QuestionRefused if reply.status in REFUSED else ChatFailed
            raise failure(f"the endpoint answers {reply.status}")
        try:
            answer = json.loads(reply.content)
            content = answer["choices"][0]["message"]["content"]
        except (ValueError, KeyError, IndexError, TypeError, AttributeError, RecursionError):
            raise ChatFailed("the endpoint's answer has no message") from None
        if not isinstance(content, str):
            raise ChatFailed("the endpoint's message is not text")
        content = storable(content)
        self.tokens += _tokens(answer.get("usage"), body, content)
        if len(content) > LONGEST_MESSAGE:
            raise ChatFailed(f"the endpoint's message has {len(content)} characters; the limit is {LONGEST_MESSAGE}")
        return content


def _tokens(usage: Any, body: Mapping[str, Any], content: str) -> int:
    """Tokens of a call: what the endpoint reports, and no fewer than the text must have. Pictures and sounds have none."""
    asked = sum(_characters(message["content"]) for message in body["messages"])
    least = (asked + len(content)) // CHARACTERS_PER_TOKEN
    told = usage.get("total_tokens") if isinstance(usage, dict) else None
    return max(least, min(told, MOST_TOKENS)) if isinstance(told, int) and not isinstance(told, bool) else least


def _characters(content: str | Sequence[Mapping[str, Any]]) -> int:
    return len(content) if isinstance(content, str) else sum(len(part.get("text", "")) for part in content)
