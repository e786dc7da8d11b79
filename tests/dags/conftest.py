"""One throw-away Airflow database per test run, and the bag of the repository's DAGs."""

import shutil
from pathlib import Path

import pytest
from tests.airflow_home import REPOSITORY

TOY = REPOSITORY / "tests" / "toy"


@pytest.fixture(scope="session")
def dag_bag():
    from airflow.dag_processing.dagbag import DagBag

    return DagBag(str(REPOSITORY / "dags"))


@pytest.fixture(scope="session")
def airflow_database():
    from airflow.utils.db import initdb

    initdb()


@pytest.fixture
def toy_home(tmp_path, postgres, template_database, monkeypatch, request) -> Path:
    """The toy project as the default project, with a database of its own, through Airflow's Connection."""
    shutil.copytree(TOY, tmp_path / "toy")
    board = tmp_path / "toy" / "config" / "board.csv"
    board.write_text("system,accuracy\nLeader,0.90\nOurs,0.61\nLast,0.50\n")
    url = postgres.create_database(f"dags_{abs(hash(request.node.nodeid)) % 10**9}", template=template_database)
    monkeypatch.setenv("AIRFLOW_CONN_AUTO_BENCHMARK_DB", url.replace("postgresql+psycopg", "postgresql"))
    monkeypatch.setenv("AUTO_BENCHMARK_HOME", str(tmp_path / "home"))
    for part in ("config", "benchmarks", "solutions"):
        monkeypatch.setenv(f"AUTO_BENCHMARK_{part.upper()}", str(tmp_path / "toy" / part))
    return tmp_path


@pytest.fixture
def toy_context(toy_home):
    from auto_benchmark_airflow.hooks.project_database import project_context

    with project_context("default") as ctx:
        yield ctx
