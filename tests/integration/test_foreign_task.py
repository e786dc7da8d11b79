"""A task from elsewhere in Harbor's layout, run on a real engine: its own image, its own tests, a container each time."""

import json

import pytest
from tests.command_line import runner
from tests.unit.lab.harbor_task import foreign_task
from tests.unit.lab.number_task import number_task

from auto_benchmark.lab.catalog import load
from auto_benchmark.lab.export import export
from auto_benchmark.settings import Settings

pytestmark = pytest.mark.docker
BETTER = "for n in range(1, 11):\n    print(n)\n"
AGENT = """#!/usr/local/bin/python3
import json, os, pathlib, socket
brief = json.load(open(os.environ["AB_BRIEF"]))
n = len(brief["history"])
if n == 0:
    pathlib.Path("count.py").write_text("print('nothing')\\n")
    pathlib.Path("/tmp/left").write_text("x")
elif n == 1:
    assert brief["history"][0]["reward"] == 0.0 and not os.path.exists("/tmp/left")
    pathlib.Path("count.py").write_text({better!r})
    pathlib.Path("notes.txt").unlink()
else:
    raise SystemExit(3)
"""


@pytest.fixture
def agent(tmp_path):
    program = tmp_path / "agent.py"
    program.write_text(AGENT.format(better=BETTER))
    program.chmod(0o755)
    return program


def test_an_agent_works_on_it_in_containers(tmp_path, monkeypatch, capsys, base_image, agent):
    task = foreign_task(tmp_path, base_image)
    out = tmp_path / "run"
    words = ("lab", "run", str(task), "--agent", f"command:{agent}", "--out", str(out), "--seeds", "1", "--json")
    ended = runner(monkeypatch, capsys)(*words)
    assert ended.code == 0, ended.err
    assert len(ended.json["attempts"]) == 2, ended.json["attempts"]
    told = ended.json
    first, second = told["attempts"]
    assert first["valid"] and first["reward"] == 0.0
    assert second["reward"] == pytest.approx(min(1, 40 / len(BETTER)))
    assert (told["chosen"], told["result"]["valid"], told["reward"]) == (2, True, second["reward"])
    assert not (out / "state" / "2" / "notes.txt").exists()
    assert runner(monkeypatch, capsys)(*words).json == told  # the run that is over is taken as it is


def test_our_own_export_runs_as_a_task_from_elsewhere(tmp_path, monkeypatch, capsys, base_image):
    """With its verifier in an image of its own, as Harbor runs it: the reference earns what it earns here."""
    task = export(load(Settings(), "reversible_sort"), tmp_path)
    for file in (task / "environment" / "Dockerfile", task / "tests" / "Dockerfile"):
        file.write_text(f"FROM {base_image}\n" + file.read_text().partition("\n")[2])  # no registry is asked
    program = tmp_path / "agent.py"
    reference = (task / "solution" / "circuit.py").read_text()
    program.write_text(f"open('circuit.py', 'w').write({reference!r})\n")
    words = ("lab", "run", str(task), "--agent", f"command:{program}", "--attempts", "1", "--seeds", "1")
    told = runner(monkeypatch, capsys)(*words, "--out", str(tmp_path / "run"), "--json").json
    assert (told["result"]["valid"], told["reward"]) == (True, 0.5), told["attempts"]


def test_tests_that_write_no_reward_refuse_and_the_run_goes_on(tmp_path, monkeypatch, capsys, base_image):
    task = foreign_task(tmp_path, base_image)
    (task / "tests" / "test.sh").write_text("#!/bin/sh\necho nothing to see >&2\nexit 4\n")
    words = (
        "lab",
        "run",
        str(task),
        "--agent",
        "evolve",
        "--attempts",
        "1",
        "--out",
        str(tmp_path / "run"),
        "--json",
    )
    told = runner(monkeypatch, capsys)(*words).json
    [attempt] = told["attempts"]
    assert not attempt["valid"] and told["chosen"] is None
    assert attempt["reason"] == "the tests wrote no reward (exit code 4): nothing to see"


def test_an_image_that_cannot_be_built_is_a_fault_of_its_dockerfile(tmp_path, monkeypatch, capsys, base_image):
    task = foreign_task(tmp_path, base_image)
    (task / "environment" / "Dockerfile").write_text(f"FROM {base_image}\nCOPY absent /app/\n")
    ended = runner(monkeypatch, capsys)("lab", "run", str(task), "--agent", "tune", "--out", str(tmp_path / "run"))
    assert ended.code == 2 and "environment/Dockerfile: cannot be built" in ended.err


def test_attempts_on_our_tasks_run_in_containers_where_trials_do(tmp_path, monkeypatch, capsys, base_image):
    task = number_task(tmp_path / "lab")
    (task.environment / "Dockerfile").write_text(f"FROM {base_image}\n")
    program = tmp_path / "agent.py"
    program.write_text(
        "import json, os, pathlib, subprocess, sys\n"
        "assert os.path.exists('/.dockerenv') and os.getuid() == 65534\n"
        "pathlib.Path('number.py').write_text('print(50)')\n"
        "print(subprocess.check_output([os.environ['AB_MEASURE']], text=True))\n"
    )
    monkeypatch.setenv("AUTO_BENCHMARK_LAB", str(tmp_path / "lab"))
    monkeypatch.setenv("AUTO_BENCHMARK_RUNNER", "docker")
    words = (
        "lab",
        "run",
        "number",
        "--agent",
        f"command:{program}",
        "--attempts",
        "1",
        "--out",
        str(tmp_path / "run"),
    )
    told = runner(monkeypatch, capsys)(*words, "--json").json
    [attempt] = told["attempts"]
    assert (attempt["valid"], attempt["score"], told["measures"]) == (True, 50.0, 1), attempt
    [call] = json.loads((tmp_path / "run" / "trajectory" / "1.json").read_text())["measures"]
    assert call["measured"]["score"] == 50.0
