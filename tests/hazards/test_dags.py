"""One faulty file or stray folder takes no sound project's DAGs away."""

from __future__ import annotations

import os
import shutil

import pytest
from tests.airflow_home import REPOSITORY
from tests.dags.test_parsing import parse

pytestmark = pytest.mark.airflow
SOUND = {path.stem for path in (REPOSITORY / "dags").glob("*.py")}
SCHEDULES = {
    "tab": b"schedule:\n\treport_digest: '0 5 * * *'\n",
    "twice": b"timezone: UTC\ntimezone: UTC\n",
    "unknown_key": b"timezones: UTC\n",
    "unknown_zone": b"timezone: Mars/Hill\n",
    "latin_1": b"# caf\xe9\ntimezone: UTC\n",
    "list": b"- timezone: UTC\n",
    "half_a_file": b"schedule: {report_digest: '0 5",
}


@pytest.fixture
def config(tmp_path):
    return shutil.copytree(REPOSITORY / "include" / "config", tmp_path / "config")


def add(config, name):
    return shutil.copytree(REPOSITORY / "tests" / "toy" / "config", config / "projects" / name)


@pytest.mark.parametrize("kind", SCHEDULES)
def test_a_faulty_schedule_of_any_kind_stays_with_its_own_project(config, kind, monkeypatch):
    from auto_benchmark_airflow.dag_factories.projects import projects

    (add(config, "toys") / "schedule.yaml").write_bytes(SCHEDULES[kind])
    monkeypatch.setenv("AUTO_BENCHMARK_CONFIG", str(config))
    faults = {project.name: project.fault for project in projects.__wrapped__()}
    assert faults["default"] is None and "schedule.yaml" in faults["toys"]


def test_stray_folders_among_the_projects_take_nothing_away(config):
    for name in ("toys copy", ".ipynb_checkpoints"):
        add(config, name)
    found = parse(AUTO_BENCHMARK_CONFIG=str(config))
    assert found["errors"] == {} and set(found["dags"]) >= SOUND


def test_a_folder_that_cannot_be_entered_takes_nothing_away(config):
    """It is somebody else's, who left it among the projects. Root may enter any, and gives that up here."""
    folder = add(config, "private")
    folder.chmod(0)
    given_up = ["setpriv", "--bounding-set=-dac_override,-dac_read_search,-fowner"] if os.geteuid() == 0 else []
    try:
        found = parse(*given_up, AUTO_BENCHMARK_CONFIG=str(config))
    finally:
        folder.chmod(0o755)
    assert found["errors"] == {} and set(found["dags"]) >= SOUND
