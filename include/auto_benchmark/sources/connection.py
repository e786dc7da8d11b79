"""A named HTTP endpoint with its credentials: boards and submissions with a ``conn_id`` go through one.

In Airflow the platform's Connection does this (auth, proxy, TLS); here is the protocol and the plain implementation
for the command line.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Protocol

from pydantic import SecretStr

from auto_benchmark.errors import AutoBenchmarkError, InputError

if TYPE_CHECKING:
    from slack_sdk import WebClient

LARGEST_ANSWER_BYTES = 64 * 2**20
TIMEOUT_S = 30.0


class UnreachableError(AutoBenchmarkError):
    """The endpoint could not be reached or broke off; worth trying again."""


@dataclass(frozen=True, slots=True)
class Answer:
    """What an endpoint answered, whatever its status."""

    status: int
    content: bytes
    headers: Mapping[str, str] = field(default_factory=dict)

    @property
    def content_type(self) -> str | None:
        """The declared media type."""
        return self.headers.get("content-type")


class Connection(Protocol):
    """One endpoint. Paths are relative to its host."""

    def get(self, path: str, *, headers: Mapping[str, str] | None = None) -> Answer:
        """GET; raises UnreachableError when no answer comes."""
        ...

    def post(self, path: str, body: Mapping[str, Any], *, headers: Mapping[str, str] | None = None) -> Answer:
        """POST a JSON body; raises UnreachableError when no answer comes."""
        ...


class Connections(Protocol):
    """Finds endpoints by name."""

    def get(self, conn_id: str) -> Connection:
        """The endpoint called ``conn_id``. Raises InputError when there is none."""
        ...

    def slack(self, conn_id: str) -> WebClient:
        """Slack's API by the connection ``conn_id``. Raises InputError when there is none."""
        ...


@dataclass(frozen=True, slots=True)
class HttpConnection:
    """An endpoint reached with httpx."""

    base_url: str
    token: SecretStr | None = None

    def get(self, path: str, *, headers: Mapping[str, str] | None = None) -> Answer:
        """GET; raises UnreachableError when no answer comes."""
        return self._send("GET", path, None, headers)

    def post(self, path: str, body: Mapping[str, Any], *, headers: Mapping[str, str] | None = None) -> Answer:
        """POST a JSON body; raises UnreachableError when no answer comes."""
        return self._send("POST", path, body, headers)

    def _send(
        self, method: str, path: str, body: Mapping[str, Any] | None, headers: Mapping[str, str] | None
    ) -> Answer:
        import httpx

        sent = dict(headers or {})
        if self.token is not None:
            sent["Authorization"] = f"Bearer {self.token.get_secret_value()}"
        url = self.base_url.rstrip("/") + "/" + path.lstrip("/")
        try:
            with (
                httpx.Client(timeout=TIMEOUT_S, trust_env=False) as client,
                client.stream(method, url, json=body, headers=sent) as answer,
            ):
                content = b""
                for chunk in answer.iter_bytes():
                    content += chunk
                    if len(content) > LARGEST_ANSWER_BYTES:
                        raise UnreachableError(f"{method} {path}: answer over {LARGEST_ANSWER_BYTES >> 20} MiB")
                return Answer(answer.status_code, content, {k.lower(): v for k, v in answer.headers.items()})
        except httpx.HTTPError as error:
            raise UnreachableError(f"{method} {path}: {type(error).__name__}: {error}") from None


@dataclass(frozen=True, slots=True)
class NamedConnections:
    """Endpoints by name."""

    endpoints: Mapping[str, Connection]

    def get(self, conn_id: str) -> Connection:
        """The endpoint called ``conn_id``. Raises InputError when there is none."""
        if conn_id not in self.endpoints:
            raise InputError(f"no connection {conn_id!r}: set AUTO_BENCHMARK_CONN_{conn_id.upper()} to its URL")
        return self.endpoints[conn_id]

    def slack(self, conn_id: str) -> WebClient:
        """Slack's API with the token and the address of ``conn_id``. Raises InputError when one is missing."""
        from slack_sdk import WebClient

        endpoint = self.get(conn_id.lower())
        if not isinstance(endpoint, HttpConnection) or endpoint.token is None:
            raise InputError(f"connection {conn_id!r} has no token: set AUTO_BENCHMARK_TOKEN_{conn_id.upper()}")
        base = endpoint.base_url.rstrip("/") + "/"
        return WebClient(
            token=endpoint.token.get_secret_value(), base_url=base, timeout=int(TIMEOUT_S), retry_handlers=[]
        )
