"""The local executor, with what the steps need imported before its workers are forked.

Every task is a fork of a worker, so what the scheduler has imported by then costs a task nothing. Only the embedded
stack uses it; with any other executor the tasks import for themselves.
"""

from __future__ import annotations

from importlib import import_module

from airflow.executors.local_executor import LocalExecutor

MODULES = (
    "auto_benchmark.db.migrate",
    "auto_benchmark.flows.all",
    "auto_benchmark.boards.landscape",
    "auto_benchmark.boards.scrape",
    "auto_benchmark.experiments.sweep",
    "auto_benchmark.experiments.outcome.promotion",
    "auto_benchmark.experiments.trials.planned",
    "auto_benchmark.defense.production",
    "auto_benchmark.defense.promises",
    "auto_benchmark.telling.digest",
    "auto_benchmark.telling.overdue",
    "auto_benchmark.telling.technical_log",
    "auto_benchmark_airflow.dag_factories.compiler",
    "auto_benchmark_airflow.hooks.http_endpoint",
    "auto_benchmark_airflow.metrics",
    "auto_benchmark_airflow.sensors.board_score",
    "psycopg",
)


class WarmLocalExecutor(LocalExecutor):
    """Runs tasks as processes of this machine; see the module."""

    def start(self) -> None:
        """Import, then fork the workers."""
        for module in MODULES:
            import_module(module)
        super().start()
