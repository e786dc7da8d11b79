"""One throw-away Airflow database per test run, and the bag of the repository's DAGs."""

import pytest
from tests.airflow_home import REPOSITORY
from tests.toy_project import ToyFiles, enter_through_airflow, toy_database


@pytest.fixture(scope="session")
def dag_bag():
    from airflow.dag_processing.dagbag import DagBag

    return DagBag(str(REPOSITORY / "dags"))


@pytest.fixture(scope="session")
def airflow_database():
    from airflow.utils.db import initdb

    initdb()


@pytest.fixture
def toy_home(tmp_path, postgres, template_database, monkeypatch) -> ToyFiles:
    """The toy project as the default project, with a database of its own, through Airflow's Connection."""
    files = ToyFiles(tmp_path)
    enter_through_airflow(monkeypatch, files.settings(), toy_database(postgres, template_database))
    return files


@pytest.fixture
def toy_context(toy_home):
    from auto_benchmark_airflow.hooks.project_database import project_context

    with project_context("default") as ctx:
        yield ctx
