"""Boards and submission endpoints with a ``conn_id``: reached through Airflow's own HTTP hook.

Authentication, proxy, TLS and timeouts come from the Connection. A Connection with a password and no login holds a
bearer token; with both, Airflow's basic authentication applies.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from airflow.providers.http.hooks.http import HttpHook
from airflow.sdk import Connection
from airflow.sdk.exceptions import AirflowNotFoundException

from auto_benchmark.errors import InputError
from auto_benchmark.sources.connection import LARGEST_ANSWER_BYTES, TIMEOUT_S, Answer, UnreachableError

if TYPE_CHECKING:
    from slack_sdk import WebClient

CHUNK_BYTES = 2**16


@dataclass(frozen=True, slots=True)
class HttpEndpoint:
    """One endpoint, named by an Airflow Connection of the type HTTP."""

    conn_id: str

    def get(self, path: str, *, headers: Mapping[str, str] | None = None) -> Answer:
        """GET; raises UnreachableError when no answer comes."""
        return self._send("GET", path, None, headers)

    def post(self, path: str, body: Mapping[str, Any], *, headers: Mapping[str, str] | None = None) -> Answer:
        """POST a JSON body; raises UnreachableError when no answer comes."""
        return self._send("POST", path, dict(body), headers)

    def _send(self, method: str, path: str, body: dict[str, Any] | None, headers: Mapping[str, str] | None) -> Answer:
        import requests

        hook = HttpHook(method=method, http_conn_id=self.conn_id)
        sent = {**bearer(hook.get_connection(self.conn_id)), **(headers or {})}
        options = {"check_response": False, "stream": True, "timeout": TIMEOUT_S}
        extra = {} if body is None else {"json": body}
        try:
            with hook.run("/" + path.lstrip("/"), headers=sent, extra_options=options, **extra) as response:
                return Answer(
                    status=response.status_code,
                    content=_bounded(response.iter_content(CHUNK_BYTES), f"{method} {path}"),
                    headers={name.lower(): value for name, value in response.headers.items()},
                )
        except requests.RequestException as error:
            raise UnreachableError(f"{method} {path} ({self.conn_id}): {type(error).__name__}: {error}") from None


class AirflowConnections:
    """Endpoints by the id of their Airflow Connection."""

    def get(self, conn_id: str) -> HttpEndpoint:
        """The endpoint called ``conn_id``. Raises InputError when Airflow knows no such Connection."""
        try:
            HttpHook.get_connection(conn_id)
        except AirflowNotFoundException:
            raise InputError(f"Airflow has no Connection {conn_id!r}; add one of the type HTTP") from None
        return HttpEndpoint(conn_id)

    def slack(self, conn_id: str) -> WebClient:
        """Slack's API through Airflow's hook. Raises InputError when Airflow knows no such Connection."""
        from airflow.providers.slack.hooks.slack import SlackHook

        try:
            # a retry of the client could post twice: the outbox repeats, and looks first
            return SlackHook(slack_conn_id=conn_id, timeout=int(TIMEOUT_S), retry_handlers=[]).get_conn()
        except AirflowNotFoundException as error:
            raise InputError(f"Airflow has no Connection {conn_id!r} of the type Slack API: {error}") from None


def bearer(connection: Connection) -> dict[str, str]:
    """The authorization header of a Connection that holds a token; empty when it holds a login."""
    if connection.password and not connection.login:
        return {"Authorization": f"Bearer {connection.password}"}
    return {}


def _bounded(chunks: Any, what: str) -> bytes:
    content = bytearray()
    for chunk in chunks:
        content += chunk
        if len(content) > LARGEST_ANSWER_BYTES:
            raise UnreachableError(f"{what}: answer over {LARGEST_ANSWER_BYTES >> 20} MiB")
    return bytes(content)
