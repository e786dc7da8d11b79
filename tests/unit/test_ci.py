"""What continuous integration does beside running the tests: on small suites, with the real pytest."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

CI = Path(__file__).resolve().parents[2] / ".ci"
FLAKY = """
from pathlib import Path

def test_sound():
    assert True

def test_flaky():
    before = Path("before")
    assert before.exists() or before.write_text("") is None and False

def test_broken():
    assert {broken} == 0
"""
SOUND = """
def test_sound():
    assert True
"""
SKIPS = """
import pytest

class TestDockerRunner:
    @pytest.mark.xfail(strict=True, reason="an expected failure")
    def test_expected(self):
        assert False

    @pytest.mark.skipif({skipped}, reason="there is no engine")
    def test_engine(self):
        assert True

@pytest.mark.skip(reason="needs nothing that CI must have")
def test_other():
    assert True
"""


def python(folder: Path, *words: object) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, *map(str, words)], cwd=folder, env={**os.environ, "PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1"},
        capture_output=True, text=True, timeout=120, check=False,
    )  # fmt: skip


@pytest.fixture
def suite(tmp_path):
    """Writes a test file and pytest's settings of its own, so that none of ours are found."""

    def write(text):
        (tmp_path / "pytest.ini").write_text("[pytest]\n")
        for folder in (
            "tests/dags",
            "tests/plugins",
            "tests/browser",
            "tests/e2e",
            "tests/unit",
            "tests/contract",
            "reports",
        ):
            (tmp_path / folder).mkdir(parents=True)
        (tmp_path / "tests/unit/test_small.py").write_text(text)
        (tmp_path / "tests/dags/test_dag.py").write_text(SOUND)
        (tmp_path / "tests/contract/test_adapter.py").write_text(SOUND)
        return tmp_path

    return write


@pytest.mark.parametrize(("broken", "code"), [(0, 0), (1, 1)])
def test_the_second_run_names_what_was_flaky(suite, broken, code):
    ended = python(suite(FLAKY.format(broken=broken)), CI / "twice.py", "reports")
    assert ended.returncode == code, ended.stdout
    assert ended.stdout.endswith("== flaky, failed and then passed: 1\n   tests/unit/test_small.py::test_flaky\n")


def test_nothing_runs_twice_that_has_passed(suite):
    folder = suite(FLAKY.format(broken=0))
    (folder / "before").write_text("")
    ended = python(folder, CI / "twice.py", "reports")
    assert ended.returncode == 0 and "second run" not in ended.stdout
    assert sorted(file.name for file in (folder / "reports").glob("*.xml")) == [
        "airflow.xml",
        "rest.xml",
        "small.xml",
    ]


@pytest.mark.parametrize(("skipped", "code"), [(False, 0), (True, 1)])
def test_a_skip_of_what_must_run_is_named_and_an_expected_failure_is_no_skip(suite, skipped, code):
    folder = suite(SKIPS.format(skipped=skipped))
    assert python(folder, "-m", "pytest", "tests/unit", "--junitxml=reports/rest.xml").returncode == 0
    ended = python(folder, CI / "no_skips.py", "reports")
    test = "tests.unit.test_small.TestDockerRunner::test_engine"
    named = f"skipped, but must run: {test}: there is no engine\n" if skipped else ""
    assert (ended.returncode, ended.stderr) == (code, named)


def test_no_report_is_no_success(suite):
    ended = python(suite(SOUND), CI / "no_skips.py", "reports")
    assert (ended.returncode, ended.stderr) == (1, "reports: no report of a test run\n")
