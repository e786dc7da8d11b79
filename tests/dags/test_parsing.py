"""What parsing the DAG folder costs, and that projects do not disturb each other. Each in a process of its own."""

import itertools
import json
import os
import shutil
import subprocess
import sys

import pytest
from tests.airflow_home import HOME, REPOSITORY
from tests.toy_project import add_project

pytestmark = pytest.mark.airflow
HEAVY = {
    "pandas",
    "numpy",
    "scipy",
    "sklearn",
    "mlflow",
    "optuna",
    "lxml",
    "selectolax",
    "alembic",
    "asyncpg",
    "docker",
    "kubernetes",
}
PROBE = """
import json, sys, time
began = time.process_time()
import airflow.models, airflow.sdk
from airflow.dag_processing.dagbag import DagBag
before = set(sys.modules)
cpu = time.process_time()
bag = DagBag(sys.argv[1])
print("RESULT " + json.dumps({
    "airflow_cpu": cpu - began, "cpu": time.process_time() - cpu,
    "modules": sorted({m.split(".")[0] for m in set(sys.modules) - before}),
    "models": sorted(m for m in set(sys.modules) - before if m.startswith("auto_benchmark.registry.")),
    "errors": bag.import_errors,
    "dags": {d.dag_id: {"doc": d.doc_md, "tags": sorted(d.tags), "schedule": getattr(d.timetable, "expression", None)}
             for d in bag.dags.values()},
    "projects": {d.dag_id: sorted({getattr(t, "project", None) or t.partial_kwargs["project"]
                 for t in d.tasks if t.task_type == "PipelineOperator"}) for d in bag.dags.values()},
}))
"""

FORKED = """
import json, sys
import airflow.executors.local_executor, airflow.jobs.scheduler_job_runner
from auto_benchmark_airflow.executors.warm_local import import_all
import_all()
before = set(sys.modules)
import airflow.sdk.execution_time.supervisor, airflow.sdk.execution_time.task_runner
from airflow.dag_processing.dagbag import BundleDagBag
bag = BundleDagBag(dag_folder=sys.argv[1], bundle_path=sys.argv[1], bundle_name="dags", safe_mode=False)
new = sorted(m for m in set(sys.modules) - before if not m.startswith("unusual_prefix_"))
print("RESULT " + json.dumps({"new": new, "errors": bag.import_errors, "dags": len(bag.dags)}))
"""
"""What a task still imports that is forked from the embedded stack's scheduler."""


def parse(*before: str, probe: str = PROBE, **environment: str) -> dict:
    paths = f"{REPOSITORY}/include:{REPOSITORY}/plugins"
    done = subprocess.run(
        [*before, sys.executable, "-c", probe, str(REPOSITORY / "dags")],
        env={**os.environ, "AIRFLOW_HOME": str(HOME), "PYTHONPATH": paths, **environment},
        capture_output=True, text=True, timeout=120, check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr[-2000:]
    return json.loads(next(line for line in done.stdout.splitlines() if line.startswith("RESULT "))[7:])


def test_parsing_is_quick_and_imports_nothing_heavy():
    found = parse()
    assert found["errors"] == {}
    assert HEAVY & set(found["modules"]) == set()
    assert found["models"] == ["auto_benchmark.registry.names", "auto_benchmark.registry.schedule"]
    rounds = itertools.chain([found], (parse() for _ in range(3)))
    shares = (one["cpu"] / one["airflow_cpu"] for one in rounds)
    assert any(share <= 0.5 for share in shares), (
        "of the import of Airflow in the same process, in none of four rounds"
    )


def test_a_task_of_the_embedded_stack_imports_nothing_to_start_and_to_parse():
    found = parse(probe=FORKED)
    assert found == {"new": [], "errors": {}, "dags": 9}


@pytest.fixture
def two_projects(tmp_path):
    config = shutil.copytree(REPOSITORY / "include" / "config", tmp_path / "config")
    add_project(config, "toys")
    return config


def test_a_second_project_gets_dags_of_its_own(two_projects):
    found = parse(AUTO_BENCHMARK_CONFIG=str(two_projects))
    assert found["errors"] == {}
    assert len(found["dags"]) == 18
    for dag_id, projects in found["projects"].items():
        assert projects == (["toys"] if dag_id.startswith("toys__") else ["default"])


def test_a_faulty_schedule_stops_its_own_project_alone(two_projects):
    (two_projects / "projects" / "toys" / "schedule.yaml").write_text("schedule: {leaderboard_scrape: every day}\n")
    found = parse(AUTO_BENCHMARK_CONFIG=str(two_projects))
    assert found["errors"] == {}
    assert found["dags"]["leaderboard_scrape"]["schedule"] == "0 6 * * *"
    broken = found["dags"]["toys__leaderboard_scrape"]
    assert "config-error" in broken["tags"]
    assert "schedule.yaml:1" in broken["doc"]
    assert broken["schedule"] is None
