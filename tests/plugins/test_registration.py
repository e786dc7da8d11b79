"""One plugin, however it comes: from the plugins folder, from the wheel, or from both."""

import importlib.metadata
import importlib.util
import json
import os
import subprocess
import sys

import pytest
from tests.airflow_home import HOME, REPOSITORY

pytestmark = pytest.mark.airflow
FILE = REPOSITORY / "plugins" / "auto_benchmark_plugin.py"


def execute(monkeypatch, found):
    monkeypatch.setattr(importlib.metadata, "entry_points", lambda **_: found)
    spec = importlib.util.spec_from_file_location("registration_under_test", FILE)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return vars(module)


def test_the_folder_registers_where_no_wheel_does(monkeypatch):
    assert "AutoBenchmarkPlugin" in execute(monkeypatch, [])


def test_the_folder_is_silent_beside_the_wheel(monkeypatch):
    ours = importlib.metadata.EntryPoint(
        "auto_benchmark", "auto_benchmark_airflow.plugin:AutoBenchmarkPlugin", "airflow.plugins"
    )
    assert "AutoBenchmarkPlugin" not in execute(monkeypatch, [ours])


PROBE = """
import json
from airflow import plugins_manager
plugins, errors = plugins_manager._get_plugins()
print("RESULT " + json.dumps([[p.name for p in plugins], {k: v for k, v in errors.items() if "auto_benchmark" in k + v}]))
"""


def test_airflow_loads_it_once_and_without_complaint():
    """In a process that does not see the checkout's root, where an editable install leaves a second description."""
    environment = {**os.environ, "PYTHONPATH": f"{REPOSITORY}/include:{REPOSITORY}/plugins"}
    command = [sys.executable, "-c", PROBE]
    done = subprocess.run(
        command, env=environment, cwd=HOME, capture_output=True, text=True, timeout=120, check=False
    )
    assert done.returncode == 0, done.stderr[-2000:]
    line = next(line for line in done.stdout.splitlines() if line.startswith("RESULT "))
    names, errors = json.loads(line.removeprefix("RESULT "))
    assert names.count("auto_benchmark") == 1
    assert errors == {}


def test_no_module_of_the_package_is_imported_under_its_bare_name():
    from airflow._shared.module_loading import find_path_from_directory

    found = list(find_path_from_directory(str(REPOSITORY / "plugins"), ".airflowignore", "glob"))
    assert [path for path in found if path.endswith(".py")] == [str(FILE)]


def test_the_page_is_registered_and_nothing_of_it_is_imported_before_it_is_asked_for():
    import subprocess
    import sys

    code = (
        "import sys; import airflow.plugins_manager; from auto_benchmark_airflow.plugin import AutoBenchmarkPlugin as p;"
        "print([a['destination'] for a in p.react_apps], p.fastapi_apps[0]['url_prefix']);"
        "print([m for m in sys.modules if m.startswith(('auto_benchmark_airflow.web.', 'fastapi.', 'sqlalchemy.orm.'))"
        " and m != 'auto_benchmark_airflow.web.lazy' and 'auto_benchmark' in m])"
    )
    told = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True, timeout=120)
    assert told.stdout.splitlines()[-2:] == ["['nav', 'dashboard', 'dag'] /auto-benchmark", "[]"]
