"""A named HTTP endpoint with its credentials: boards and submissions with a ``conn_id`` go through one.

In Airflow the platform's Connection does this (auth, proxy, TLS); here is the protocol and the plain implementation
for the command line.
"""

from __future__ import annotations

import json
from abc import ABC, abstractmethod
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, Protocol

from pydantic import SecretStr

from auto_benchmark.errors import InputError
from auto_benchmark.http.answer import Answer
from auto_benchmark.http.bounds import Bounds, Deadline
from auto_benchmark.http.request import Request, Route
from auto_benchmark.http.retry import GaveUpError, Retry

if TYPE_CHECKING:
    from slack_sdk import WebClient

BOUNDS = Bounds(silence_s=30.0)
"""Of one call to a named endpoint."""
RETRY = Retry(attempts=3, wait_s=10.0)
"""A task waits a little; what takes longer is for its next run, or for the outbox."""
SLACK_TIMEOUT_S = 30


class Connection(Protocol):
    """One endpoint. Paths are relative to its host.

    Both calls are repeated while trouble may pass, so what is posted must be safe to post twice.
    """

    def get(self, path: str, *, headers: Mapping[str, str] | None = None) -> Answer:
        """GET; the last answer, whatever its status. Raises UnreachableError or CallRefusedError without one."""
        ...

    def post(
        self, path: str, body: Mapping[str, Any], *, headers: Mapping[str, str] | None = None,
        within_s: float | None = None,
    ) -> Answer:  # fmt: skip
        """POST a JSON body; the last answer.

        Args:
            path: below the endpoint.
            body: JSON.
            headers: besides those of the endpoint.
            within_s: for the call with its repeats. The endpoint may then be silent for as long, as a model is that
                thinks.

        Raises:
            UnreachableError: no answer came.
            CallRefusedError: none may come.
        """
        ...


class PatientConnection(ABC):
    """What is the same for all endpoints: how they are repeated and bounded."""

    retry: Retry

    @abstractmethod
    def send(
        self, method: str, path: str, body: Mapping[str, Any] | None, headers: Mapping[str, str], bounds: Bounds
    ) -> Answer:
        """One call. Raises UnreachableError or CallRefusedError where no answer comes."""

    def get(self, path: str, *, headers: Mapping[str, str] | None = None) -> Answer:
        """GET; the last answer, whatever its status. Raises UnreachableError or CallRefusedError without one."""
        return self._patiently("GET", path, None, headers, None)

    def post(
        self, path: str, body: Mapping[str, Any], *, headers: Mapping[str, str] | None = None,
        within_s: float | None = None,
    ) -> Answer:  # fmt: skip
        """POST a JSON body; see :class:`Connection`."""
        return self._patiently("POST", path, body, headers, within_s)

    def _patiently(
        self, method: str, path: str, body: Mapping[str, Any] | None, headers: Mapping[str, str] | None,
        within_s: float | None,
    ) -> Answer:  # fmt: skip
        bounds = BOUNDS if within_s is None else replace(BOUNDS, silence_s=within_s)
        deadline = None if within_s is None else Deadline(within_s, self.retry.clock)

        def once(until: Deadline) -> Answer:
            return self.send(method, path, body, headers or {}, bounds.within(until))

        try:
            return self.retry(once, deadline)
        except GaveUpError as error:
            if error.answer is not None:
                return error.answer
            raise


class Connections(Protocol):
    """Finds endpoints by name."""

    def get(self, conn_id: str) -> Connection:
        """The endpoint called ``conn_id``. Raises InputError when there is none."""
        ...

    def slack(self, conn_id: str) -> WebClient:
        """Slack's API by the connection ``conn_id``. Raises InputError when there is none."""
        ...


@dataclass(frozen=True, slots=True)
class HttpConnection(PatientConnection):
    """An endpoint by its URL. The operator has named it, so it may be private."""

    base_url: str
    token: SecretStr | None = None
    retry: Retry = RETRY

    def send(
        self, method: str, path: str, body: Mapping[str, Any] | None, headers: Mapping[str, str], bounds: Bounds
    ) -> Answer:
        """One call; redirects are not followed."""
        from urllib.parse import urlsplit

        from auto_benchmark.http.client import call
        from auto_benchmark.private_hosts import PrivateHosts

        sent = dict(headers)
        if self.token is not None:
            sent["Authorization"] = f"Bearer {self.token.get_secret_value()}"
        if body is not None:
            sent["Content-Type"] = "application/json"
        content = None if body is None else json.dumps(body).encode()
        url = self.base_url.rstrip("/") + "/" + path.lstrip("/")
        named = PrivateHosts.of([urlsplit(url).hostname])
        return call(Request(method, url, sent, content), bounds, Route(private=named))


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

        from auto_benchmark.http.slack_rate_limit import RateLimitPatience

        endpoint = self.get(conn_id.lower())
        if not isinstance(endpoint, HttpConnection) or endpoint.token is None:
            raise InputError(f"connection {conn_id!r} has no token: set AUTO_BENCHMARK_TOKEN_{conn_id.upper()}")
        base = endpoint.base_url.rstrip("/") + "/"
        return WebClient(
            token=endpoint.token.get_secret_value(), base_url=base, timeout=SLACK_TIMEOUT_S,
            retry_handlers=[RateLimitPatience()],
        )  # fmt: skip
