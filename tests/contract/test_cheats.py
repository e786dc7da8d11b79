"""No cheat gains anything, harms anybody or goes unclassed: on the local runner and in containers."""

import contextlib
import json
import os
import socket
import subprocess
import threading
import time
from pathlib import Path

import pytest
import yaml
from tests.contract.cheats import BASE, CHEATS, Cheat
from tests.toy_project import TOY

from auto_benchmark.artifacts.benchmark_data import BenchmarkData
from auto_benchmark.artifacts.fingerprint import folder_sha256
from auto_benchmark.artifacts.split_seeds import PUBLISHED
from auto_benchmark.contract.trial import Stage, TrialState
from auto_benchmark.experiments.trials.attempt import execute
from auto_benchmark.project.bench import Bench, TrialSpec
from auto_benchmark.project.configuration import SolutionFolder, load_benchmark
from auto_benchmark.registry.solution import Solution
from auto_benchmark.runners.docker import DockerRunner
from auto_benchmark.runners.local import LocalRunner
from auto_benchmark.settings import Settings

SECRET = "s3cret-of-the-runner"


@pytest.fixture(params=["local", pytest.param("docker", marks=pytest.mark.docker)])
def place(request):
    """Runner and image, and how the solution's command is made from code."""
    if request.param == "local":
        return LocalRunner(), "none"
    return DockerRunner(), request.getfixturevalue("contract_image")


@pytest.fixture
def world(tmp_path, monkeypatch):
    """Everything that a cheat may be after, outside of its trial."""
    monkeypatch.setenv("ARENA_TOKEN", SECRET)
    bystander = subprocess.Popen(["sleep", "120"], env={**os.environ, "ARENA_TOKEN": SECRET})
    settings = Settings(home=tmp_path / "home", benchmarks=TOY / "benchmarks")
    benchmark = load_benchmark(settings, "toy")
    data = BenchmarkData(benchmark.path, settings.root, PUBLISHED)
    data.answers("search")
    victim = tmp_path / "home/default/experiments/results/victim"
    victim.mkdir(parents=True)
    (victim / "metrics.json").write_text("{}")
    yield settings, benchmark, data, victim
    assert bystander.poll() is None, "it ended another process"
    bystander.kill()
    bystander.wait()


@contextlib.contextmanager
def listener():
    """A server that notes who calls."""
    called = threading.Event()
    with socket.create_server(("127.0.0.1", 0)) as server:
        server.settimeout(0.1)
        done = threading.Event()

        def accept():
            while not done.is_set():
                with contextlib.suppress(TimeoutError):
                    server.accept()[0].close()
                    called.set()

        thread = threading.Thread(target=accept)
        thread.start()
        yield server.getsockname()[1], called
        done.set()
        thread.join()


def solution_of(folder: Path, image: str, code: str) -> SolutionFolder:
    declared = {
        "name": "cheat", "command": ["python", "-c", code], "image": image, "benchmark": "toy", "knobs": {},
        "resources": {"memory_mb": 200, "pids": 24, "fast_budget_s": 12.0, "output_mb": 4},
    }  # fmt: skip
    folder.mkdir()
    (folder / "solution.yaml").write_text(yaml.safe_dump(declared))
    return SolutionFolder(folder, Solution.model_validate(declared))


@pytest.mark.parametrize("cheat", CHEATS, ids=lambda cheat: cheat.name.replace(" ", "-"))
def test_no_cheat_gains(cheat: Cheat, place, world, tmp_path):
    runner, image = place
    settings, benchmark, data, victim = world
    now = time.time()
    with listener() as (port, called):
        target = {"sealed": str(settings.root / "sealed"), "benchmark": str(benchmark.path), "victim": str(victim),
                  "code": str(tmp_path / "solution"), "port": port}  # fmt: skip
        code = f"{BASE}\ntarget = {target!r}\n{cheat.code}"
        solution = solution_of(tmp_path / "solution", image, code)
        bench = Bench(solution, benchmark, data, runner)
        inputs = bench.data.view("search").joinpath("inputs.jsonl")
        before, code_before = inputs.read_bytes(), folder_sha256(solution.path)
        folder = settings.root / "default/experiments/results/cheat"
        outcome = execute(TrialSpec(f"cheat-{tmp_path.name}", {}, 1, Stage.FAST), bench, folder)
    answers = data.answers("search")
    honest = sum(a["answer"] == "low" for a in answers.values()) / len(answers)
    if cheat.code.startswith("\nif os.fork"):
        time.sleep(3)

    assert outcome.failure in cheat.ends, outcome.message
    if outcome.state is TrialState.DONE:
        assert outcome.metrics["accuracy"] <= honest
        stored = json.loads((folder / "metrics.json").read_text())
        assert stored["scored"]["accuracy"] == outcome.metrics["accuracy"] and stored["scored_by"] == "scorer"
        assert json.loads((folder / "eval_on_leaderboard.json").read_text())["ToyBoard"]["score"] <= honest
        assert outcome.wall_s >= (1.2 if "timer" in cheat.name else 0)
    else:
        assert outcome.state is TrialState.FAILED and outcome.metrics == {} and outcome.scores is None
        assert not (folder / "metrics.json").exists() and outcome.message
    assert not called.is_set(), "it reached the network"
    assert {p.name: p.read_text() for p in victim.iterdir()} == {"metrics.json": "{}"}
    assert inputs.read_bytes() == before
    assert folder_sha256(solution.path) == code_before, "it changed what later trials run"
    assert not Path("/var/tmp/best.json").exists()
    assert not any(p.is_symlink() for p in folder.rglob("*") if "output" not in p.parts)
    assert not (folder / "train.log").exists() or (folder / "train.log").stat().st_size < 17 * 2**20
    loot = folder / "checkpoint.bin"
    assert not loot.exists() or SECRET not in loot.read_text(errors="replace")
    assert loot.exists() or "environments" not in cheat.name
    assert abs(time.time() - now) < 300


def test_there_are_at_least_25():
    assert len({cheat.code for cheat in CHEATS}) >= 25
