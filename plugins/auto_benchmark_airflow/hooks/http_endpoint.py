"""Boards and submission endpoints with a ``conn_id``: reached through Airflow's own HTTP hook.

Authentication, proxy, TLS and the timeout of a read come from the Connection. A Connection with a password and no
login holds a bearer token; with both, Airflow's basic authentication applies.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from airflow.providers.http.hooks.http import HttpHook
from airflow.sdk import Connection
from airflow.sdk.exceptions import AirflowNotFoundException

from auto_benchmark.errors import InputError
from auto_benchmark.http.answer import Answer
from auto_benchmark.http.bounds import Bounds
from auto_benchmark.http.errors import UnreachableError
from auto_benchmark.http.retry import Retry
from auto_benchmark.sources.connection import RETRY, SLACK_TIMEOUT_S, PatientConnection
from auto_benchmark_airflow.hooks.bounded_hook import BoundedHttpHook

if TYPE_CHECKING:
    from slack_sdk import WebClient


@dataclass(frozen=True, slots=True)
class HttpEndpoint(PatientConnection):
    """One endpoint, named by an Airflow Connection of the type HTTP."""

    conn_id: str
    retry: Retry = RETRY

    def send(
        self, method: str, path: str, body: Mapping[str, Any] | None, headers: Mapping[str, str], bounds: Bounds
    ) -> Answer:
        """One call; redirects as the Connection has them."""
        import requests

        hook = BoundedHttpHook(method, self.conn_id, bounds)
        sent = {**bearer(hook.get_connection(self.conn_id)), **headers}
        extra = {} if body is None else {"json": dict(body)}
        try:
            response = hook.run(
                "/" + path.lstrip("/"), headers=sent, extra_options={"check_response": False}, **extra
            )
        except requests.RequestException as error:
            raise UnreachableError(f"{method} {path} ({self.conn_id}): {error.__cause__ or error}") from None
        return Answer(response.status_code, response.content, response.headers)


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

        from auto_benchmark.http.slack_rate_limit import RateLimitPatience

        try:
            hook = SlackHook(slack_conn_id=conn_id, timeout=SLACK_TIMEOUT_S, retry_handlers=[RateLimitPatience()])
            return hook.get_conn()
        except AirflowNotFoundException as error:
            raise InputError(f"Airflow has no Connection {conn_id!r} of the type Slack API: {error}") from None


def bearer(connection: Connection) -> dict[str, str]:
    """The authorization header of a Connection that holds a token; empty when it holds a login."""
    if connection.password and not connection.login:
        return {"Authorization": f"Bearer {connection.password}"}
    return {}
