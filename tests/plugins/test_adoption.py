"""The wheel in somebody else's Airflow: built, installed into an empty environment, its DAGs loaded from there."""

import json
import os
import shutil
import subprocess
import sys
import sysconfig
import venv
from pathlib import Path

import pytest
from tests.airflow_home import REPOSITORY

pytestmark = [pytest.mark.airflow, pytest.mark.timeout(600)]
PROBE = """
import json
from airflow import plugins_manager
from airflow.dag_processing.dagbag import DagBag
import auto_benchmark, auto_benchmark_airflow
bag = DagBag({dags!r})
plugins, errors = plugins_manager._get_plugins()
print("RESULT " + json.dumps({{
    "dags": sorted(bag.dags), "errors": bag.import_errors, "library": auto_benchmark.__file__,
    "plugins": [p.name for p in plugins],
    "plugin_errors": {{k: v for k, v in errors.items() if "auto_benchmark" in k + v}},
}}))
"""
OWN_DAG_FILE = '''"""Our own file: every DAG of every project in this Airflow."""
from auto_benchmark_airflow.dag_factories.all import all_dags

globals().update(all_dags())
'''


@pytest.fixture(scope="module")
def installed(tmp_path_factory) -> Path:
    """An environment of its own that holds the wheel, and the pinned packages beside it."""
    root = tmp_path_factory.mktemp("adoption")
    source = root / "source"
    for part in ("include/auto_benchmark", "plugins/auto_benchmark_airflow"):
        shutil.copytree(REPOSITORY / part, source / part, ignore=shutil.ignore_patterns("__pycache__"))
    for file in ("pyproject.toml", "requirements.in", "README.md", "LICENSE"):
        if (REPOSITORY / file).exists():
            shutil.copy(REPOSITORY / file, source / file)
    build = [sys.executable, "-m", "build", "--wheel", "--no-isolation", "--outdir", str(root), str(source)]
    built = subprocess.run(build, capture_output=True, text=True, timeout=300, check=False)
    assert built.returncode == 0, built.stdout[-2000:] + built.stderr[-2000:]
    venv.create(root / "venv", with_pip=False)
    python = root / "venv" / "bin" / "python"
    packages = Path(sysconfig.get_path("purelib", vars={"base": str(root / "venv")}))
    for pinned in Path(sysconfig.get_path("purelib")).iterdir():
        if "auto_benchmark" not in pinned.name:
            (packages / pinned.name).symlink_to(pinned)
    wheel = next(root.glob("auto_benchmark-*.whl"))
    subprocess.run([sys.executable, "-m", "zipfile", "-e", str(wheel), str(packages)], check=True, timeout=60)
    return python


def probe(python: Path, dags: Path, home: Path, **environment: str) -> dict:
    variables = {k: v for k, v in os.environ.items() if not k.startswith(("AIRFLOW", "AUTO_BENCHMARK", "PYTHONPATH"))}
    variables |= {
        "AIRFLOW_HOME": str(home), "AIRFLOW__CORE__LOAD_EXAMPLES": "False", "AIRFLOW__CORE__DAGS_FOLDER": str(dags),
        "AIRFLOW__CORE__PLUGINS_FOLDER": str(home / "plugins"), **environment,
    }  # fmt: skip
    (home / "plugins").mkdir(parents=True, exist_ok=True)
    done = subprocess.run(
        [str(python), "-c", PROBE.format(dags=str(dags))], env=variables, cwd=home, capture_output=True, text=True,
        timeout=180, check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr[-2000:]
    return json.loads(next(line for line in done.stdout.splitlines() if line.startswith("RESULT "))[7:])


def test_the_wheel_brings_plugin_and_dags_into_an_airflow_of_its_own(installed, tmp_path):
    dags = tmp_path / "dags"
    dags.mkdir()
    (dags / "auto_benchmark_dags.py").write_text(OWN_DAG_FILE)
    config = REPOSITORY / "include" / "config"
    found = probe(installed, dags, tmp_path / "home", AUTO_BENCHMARK_CONFIG=str(config))
    assert str(REPOSITORY) not in found["library"]
    assert found["errors"] == {}
    assert found["dags"] == sorted(path.stem for path in (REPOSITORY / "dags").glob("*.py"))
    assert found["plugins"].count("auto_benchmark") == 1
    assert found["plugin_errors"] == {}


def test_the_repositorys_own_dag_files_load_with_the_wheel_alone(installed, tmp_path):
    config = REPOSITORY / "include" / "config"
    found = probe(installed, REPOSITORY / "dags", tmp_path / "home", AUTO_BENCHMARK_CONFIG=str(config))
    assert found["errors"] == {}
    assert found["dags"] == sorted(path.stem for path in (REPOSITORY / "dags").glob("*.py"))


def test_the_example_loads(installed, tmp_path):
    found = probe(installed, REPOSITORY / "include" / "examples", tmp_path / "home")
    assert found["errors"] == {}
    assert found["dags"] == ["rank_drop_notice"]
