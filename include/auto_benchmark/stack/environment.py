"""The environment of the stack's services: Airflow's configuration and connections, without a configuration file."""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Mapping
from pathlib import Path

from auto_benchmark.settings import Settings
from auto_benchmark.stack.credentials import USER, Credentials
from auto_benchmark.stack.layout import Layout
from auto_benchmark.stack.ports import HOST, Ports

OBSERVED = ("AIRFLOW__METRICS__", "AIRFLOW__TRACES__")
"""Settings of Airflow that say where it reports to, not what it is."""
DATABASES = ("airflow", "auto_benchmark", "mlflow")


def build(
    settings: Settings,
    layout: Layout,
    ports: Ports,
    credentials: Credentials,
    *,
    inherited: Mapping[str, str],
    postgres_password: str,
    arena_token: str | None,
    more_dags: Path | None = None,
) -> dict[str, str]:
    """Variables for every service.

    Args:
        settings: of this process; handed on, so that all services agree.
        layout: paths.
        ports: ports.
        credentials: passwords and keys.
        inherited: the caller's environment. Its Airflow settings are dropped (they may name a production
            Airflow), but for those of metrics and traces; its connections and variables (``AIRFLOW_CONN_*``,
            ``AIRFLOW_VAR_*``) are kept.
        postgres_password: of the embedded Postgres.
        arena_token: for submissions to the arena; None before the arena has started once.
        more_dags: a second folder of DAG files, for measurements.
    """
    databases = {
        name: f"postgresql://postgres:{postgres_password}@{HOST}:{ports.postgres}/{name}" for name in DATABASES
    }
    return {
        **_kept(inherited),
        **_own(settings, layout, ports, databases),
        **_airflow(settings, layout, ports, credentials, databases["airflow"]),
        **_connections(ports, databases["auto_benchmark"], arena_token),
        **(_bundles(layout, more_dags) if more_dags else {}),
    }


def _kept(inherited: Mapping[str, str]) -> dict[str, str]:
    def foreign(name: str) -> bool:
        if name.startswith(OBSERVED):
            return False
        return name.startswith("AIRFLOW__") or name in {"AIRFLOW_HOME", "AIRFLOW_CONFIG", "PYTHONPATH"}

    return {name: value for name, value in inherited.items() if not foreign(name)}


def _own(settings: Settings, layout: Layout, ports: Ports, databases: Mapping[str, str]) -> dict[str, str]:
    bypass = "127.0.0.1,localhost"
    return {
        "PATH": os.pathsep.join([str(Path(sys.executable).parent), os.defpath, "/usr/local/bin"]),
        "PYTHONPATH": os.pathsep.join(str(layout.repository / part) for part in ("include", "plugins")),
        "PYTHONUNBUFFERED": "1",
        "NO_PROXY": bypass,
        "no_proxy": bypass,
        "AUTO_BENCHMARK_HOME": str(layout.home),
        "AUTO_BENCHMARK_DB_URL": databases["auto_benchmark"],
        "AUTO_BENCHMARK_CONFIG": str(settings.config.resolve()),
        "AUTO_BENCHMARK_BENCHMARKS": str(settings.benchmarks.resolve()),
        "AUTO_BENCHMARK_SOLUTIONS": str(settings.solutions.resolve()),
        "AUTO_BENCHMARK_ARENA": str(settings.arena.resolve()),
        "AUTO_BENCHMARK_RUNNER": settings.runner,
        "AUTO_BENCHMARK_MLFLOW_URL": f"http://{HOST}:{ports.mlflow}",
        "MLFLOW_BACKEND_STORE_URI": databases["mlflow"].replace("postgresql://", "postgresql+psycopg2://", 1),
        "MLFLOW_SERVER_ENABLE_JOB_EXECUTION": "false",
    }


def _airflow(
    settings: Settings, layout: Layout, ports: Ports, credentials: Credentials, database: str
) -> dict[str, str]:
    url = f"http://{HOST}:{ports.airflow}"
    sections: dict[str, dict[str, object]] = {
        "core": {
            "load_examples": False,
            "executor": "auto_benchmark_airflow.executors.warm_local.WarmLocalExecutor",
            "parallelism": 2 * settings.parallel_trials + 4,
            "dags_folder": layout.repository / "dags",
            "plugins_folder": layout.repository / "plugins",
            "fernet_key": credentials.fernet_key,
            "execution_api_server_url": f"{url}/execution/",
            "simple_auth_manager_users": f"{USER}:admin",
            "simple_auth_manager_passwords_file": layout.root / "airflow_passwords.json",
        },
        "database": {"sql_alchemy_conn": database.replace("postgresql://", "postgresql+psycopg2://", 1)},
        "api": {
            "host": HOST,
            "port": ports.airflow,
            "base_url": url,
            "workers": 1,
            "secret_key": credentials.secret_key,
            "maximum_page_limit": 1000,
        },
        "api_auth": {"jwt_secret": credentials.jwt_secret},
        "scheduler": {
            "scheduler_idle_sleep_time": 0.1,
            "task_instance_heartbeat_timeout": 60,
            "orphaned_tasks_check_interval": 30,
            "enable_health_check": False,
        },
        "dag_processor": {
            "parsing_processes": 1,
            "refresh_interval": 30,
            "min_file_process_interval": 60,
            "bundle_refresh_check_interval": 5,
        },
    }
    variables = {"AIRFLOW_HOME": str(layout.airflow_home)}
    for section, options in sections.items():
        variables |= {f"AIRFLOW__{section}__{option}".upper(): str(value) for option, value in options.items()}
    return variables


def _connections(ports: Ports, database: str, arena_token: str | None) -> dict[str, str]:
    arena = {"conn_type": "http", "schema": "http", "host": HOST, "port": ports.arena, "password": arena_token or ""}
    return {"AIRFLOW_CONN_AUTO_BENCHMARK_DB": database, "AIRFLOW_CONN_ARENA": json.dumps(arena)}


def _bundles(layout: Layout, more_dags: Path) -> dict[str, str]:
    """Both folders as bundles, in place of the single one."""
    folders = {"dags-folder": layout.repository / "dags", "more-dags": more_dags.resolve()}
    kind = "airflow.dag_processing.bundles.local.LocalDagBundle"
    bundles = [{"name": name, "classpath": kind, "kwargs": {"path": str(path)}} for name, path in folders.items()]
    return {"AIRFLOW__DAG_PROCESSOR__DAG_BUNDLE_CONFIG_LIST": json.dumps(bundles)}
