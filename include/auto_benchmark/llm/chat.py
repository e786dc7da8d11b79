"""One question to an OpenAI-compatible endpoint: bounded in calls and tokens, cached, JSON only."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping, MutableMapping
from dataclasses import dataclass
from typing import Any, Protocol

from auto_benchmark.errors import AutoBenchmarkError
from auto_benchmark.http.errors import CallRefusedError, UnreachableError


class ChatFailed(AutoBenchmarkError):  # noqa: N818 - reads as what happened
    """The endpoint gave no usable answer, or the budget is spent. The rules' findings stand alone then."""


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

    def post(self, path: str, body: Mapping[str, Any]) -> Reply:
        """POST a JSON body."""
        ...


@dataclass(slots=True)
class Chat:
    """Asks one model, and counts.

    Attributes:
        endpoint: where.
        model: which.
        max_calls: questions in all; the endpoint may repeat one that met trouble.
        max_tokens: tokens in all, as the endpoint reports them.
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
        body = {
            "model": self.model,
            "temperature": 0,
            "response_format": {"type": "json_object"},
            "messages": [{"role": "system", "content": instructions}, {"role": "user", "content": text}],
        }
        key = hashlib.sha256(json.dumps(body, sort_keys=True).encode()).hexdigest()
        if key not in self.cache:
            self.cache[key] = self._call(body)
        try:
            return json.loads(self.cache[key])
        except (ValueError, RecursionError):
            raise ChatFailed("the model's answer is not JSON") from None

    def _call(self, body: Mapping[str, Any]) -> str:
        if self.calls >= self.max_calls or self.tokens >= self.max_tokens:
            raise ChatFailed(f"budget spent: {self.calls} calls, {self.tokens} tokens")
        self.calls += 1
        try:
            reply = self.endpoint.post("chat/completions", body)
        except (UnreachableError, CallRefusedError) as error:
            raise ChatFailed(f"the endpoint gives no answer: {error}") from None
        if reply.status != 200:
            raise ChatFailed(f"the endpoint answers {reply.status}")
        try:
            answer = json.loads(reply.content)
            self.tokens += int(answer.get("usage", {}).get("total_tokens", 0))
            content = answer["choices"][0]["message"]["content"]
        except (ValueError, KeyError, IndexError, TypeError, AttributeError, RecursionError):
            raise ChatFailed("the endpoint's answer has no message") from None
        if not isinstance(content, str):
            raise ChatFailed("the endpoint's message is not text")
        return content
