"""The services of the stack: what each is, how it is started, where it answers."""

from __future__ import annotations

import sys
from dataclasses import asdict
from enum import StrEnum

from auto_benchmark.settings import Settings
from auto_benchmark.stack.layout import Layout
from auto_benchmark.stack.ports import HOST, Ports


class Service(StrEnum):
    """In the order of starting; they stop in the opposite order."""

    POSTGRES = "postgres"
    ARENA = "arena"
    API_SERVER = "api-server"
    DAG_PROCESSOR = "dag-processor"
    SCHEDULER = "scheduler"
    TRIGGERER = "triggerer"
    MLFLOW = "mlflow"


USES_PORT = {
    Service.POSTGRES: {"postgres"},
    Service.ARENA: {"arena"},
    Service.API_SERVER: {"airflow"},
    Service.MLFLOW: {"mlflow"},
}
"""Ports by service, as :class:`Ports` names them."""


def command(service: Service, settings: Settings, layout: Layout, ports: Ports) -> list[str]:
    """The command line of a service. Passwords travel in the environment, never here."""
    python = sys.executable
    match service:
        case Service.POSTGRES:
            module = "auto_benchmark.stack.postgres_service"
            return [python, "-m", module, str(layout.home), str(ports.postgres)]
        case Service.ARENA:
            return [python, str(settings.arena.resolve()), "--home", str(layout.arena), "--port", str(ports.arena)]
        case Service.MLFLOW:
            place = ["--host", HOST, "--port", str(ports.mlflow), "--workers", "1"]
            artifacts = ["--serve-artifacts", "--artifacts-destination", str(layout.mlflow)]
            return [python, "-m", "mlflow", "server", *place, *artifacts]
        case Service.SCHEDULER | Service.TRIGGERER:
            # The API server reads the task logs from the same disk; the log servers would listen on every interface.
            return [python, "-m", "airflow", service.value, "--skip-serve-logs"]
        case _:
            return [python, "-m", "airflow", service.value]


def urls(ports: Ports) -> dict[str, str]:
    """Where a person finds things."""
    return {
        name: f"http://{HOST}:{port}"
        for name, port in asdict(ports).items()
        if name in {"airflow", "arena", "mlflow"}
    }
