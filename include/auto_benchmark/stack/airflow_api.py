"""The few calls of Airflow's REST API that the launcher and the demo need."""

from __future__ import annotations

import contextlib
from typing import Any

import httpx

from auto_benchmark.errors import AutoBenchmarkError
from auto_benchmark.stack.credentials import USER


class AirflowApi:
    """A logged-in client.

    Args:
        base_url: where the API server listens.
        password: of the user ``admin``.
    """

    def __init__(self, base_url: str, password: str) -> None:
        self.base_url = base_url
        self._password = password
        self._client = httpx.Client(base_url=base_url, timeout=30.0, trust_env=False)

    def __enter__(self) -> AirflowApi:
        return self

    def __exit__(self, kind: object, error: object, trace: object) -> None:
        self._client.close()

    def call(self, method: str, path: str, *, json: Any = None, **params: Any) -> dict[str, Any]:
        """One call of ``/api/v2``.

        Raises:
            AutoBenchmarkError: the server refused it; the message holds its answer.
        """
        if "Authorization" not in self._client.headers:
            self._log_in()
        response = self._client.request(method, f"/api/v2{path}", json=json, params=params or None)
        if not response.is_success:
            raise AutoBenchmarkError(
                f"Airflow answered {response.status_code} to {method} {path}: {response.text[:300]}"
            )
        return dict(response.json() or {}) if response.content else {}

    def set_pool(self, name: str, *, slots: int, description: str) -> None:
        """Create a pool, or set its size."""
        size = {"slots": slots, "description": description, "include_deferred": False}
        known = {pool["name"] for pool in self.call("GET", "/pools", limit=100)["pools"]}
        if name in known:
            self.call("PATCH", f"/pools/{name}", json={"pool": name, **size})
        else:
            self.call("POST", "/pools", json={"name": name, **size})

    def dags(self) -> dict[str, bool]:
        """dag_id -> whether it is paused."""
        return {dag["dag_id"]: dag["is_paused"] for dag in self.call("GET", "/dags", limit=500)["dags"]}

    def import_errors(self) -> list[str]:
        """DAG files that could not be loaded, with the reason."""
        found = self.call("GET", "/importErrors", limit=50)["import_errors"]
        return [f"{error['filename']}: {error['stack_trace'].strip().splitlines()[-1]}" for error in found]

    def unpause(self, dag_id: str) -> None:
        """Let a DAG run.

        Its file is parsed again at once: until then no process runs the triggers that the assets of a DAG are watched by.
        """
        dag = self.call("PATCH", f"/dags/{dag_id}", json={"is_paused": False})
        with contextlib.suppress(AutoBenchmarkError):  # the file is in the queue already
            self.call("PUT", f"/parseDagFile/{dag['file_token']}")

    def trigger(self, dag_id: str, conf: dict[str, Any] | None = None) -> str:
        """Start a run now; returns its id."""
        body = {"logical_date": None, "conf": conf or {}}
        return str(self.call("POST", f"/dags/{dag_id}/dagRuns", json=body)["dag_run_id"])

    def runs(self, dag_id: str) -> list[dict[str, Any]]:
        """The newest runs of a DAG, newest first."""
        return list(self.call("GET", f"/dags/{dag_id}/dagRuns", limit=25, order_by="-run_after")["dag_runs"])

    def run(self, dag_id: str, run_id: str) -> dict[str, Any]:
        """One run."""
        return self.call("GET", f"/dags/{dag_id}/dagRuns/{run_id}")

    def task_instances(self, dag_id: str, run_id: str) -> list[dict[str, Any]]:
        """Every task instance of a run."""
        path = f"/dags/{dag_id}/dagRuns/{run_id}/taskInstances"
        return list(self.call("GET", path, limit=500)["task_instances"])

    def health(self) -> dict[str, str | None]:
        """Component -> status, as the components' heartbeats say."""
        return {name: part["status"] for name, part in self.call("GET", "/monitor/health").items()}

    def _log_in(self) -> None:
        answer = self._client.post("/auth/token", json={"username": USER, "password": self._password})
        if not answer.is_success:
            raise AutoBenchmarkError(f"Airflow refused the login: {answer.status_code} {answer.text[:200]}")
        self._client.headers["Authorization"] = f"Bearer {answer.json()['access_token']}"
