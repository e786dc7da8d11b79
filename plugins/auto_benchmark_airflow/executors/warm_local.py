"""The local executor, with what the steps need imported before its workers are forked.

Every task is a fork of a worker, so what the scheduler has imported by then costs a task nothing. Only the embedded
stack uses it; with any other executor the tasks import for themselves.
"""

from __future__ import annotations

from importlib import import_module

from airflow.executors.local_executor import LocalExecutor

MODULES = (
    "airflow.dag_processing.bundles.local",
    "airflow.dag_processing.dagbag",
    "airflow.providers.standard.operators.empty",
    "airflow.providers.standard.operators.trigger_dagrun",
    "airflow.sdk.bases.skipmixin",
    "airflow.sdk.execution_time.cache",
    "airflow.sdk.execution_time.supervisor",
    "airflow.sdk.execution_time.task_runner",
    "airflow.sdk.execution_time.timeout",
    "airflow.version",
    "auto_benchmark.db.migrate",
    "auto_benchmark.flows.all",
    "auto_benchmark.boards.landscape",
    "auto_benchmark.boards.scrape",
    "auto_benchmark.experiments.sweep",
    "auto_benchmark.experiments.outcome.promotion",
    "auto_benchmark.experiments.trials.planned",
    "auto_benchmark.defense.production",
    "auto_benchmark.defense.promises",
    "auto_benchmark.runners.stoppable",
    "auto_benchmark.telling.digest",
    "auto_benchmark.telling.overdue",
    "auto_benchmark.telling.technical_log",
    "auto_benchmark_airflow.dag_factories.compiler",
    "auto_benchmark_airflow.hooks.http_endpoint",
    "auto_benchmark_airflow.hooks.project_database",
    "auto_benchmark_airflow.metrics",
    "auto_benchmark_airflow.sensors.board_score",
    "auto_benchmark_airflow.triggers.rank_drop",
    "encodings.utf_8_sig",
    "jinja2.ext",
    "psycopg",
)


class WarmLocalExecutor(LocalExecutor):
    """Runs tasks as processes of this machine; see the module."""

    def start(self) -> None:
        """Import, then fork the workers."""
        import_all()
        super().start()


def import_all() -> None:
    """Import everything that a task needs to start, to parse its DAG file and to take the steps that must be quick."""
    for module in MODULES:
        import_module(module)
