"""``auto-benchmark trial run`` as a person calls it: from their own folder, with paths as they type them."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest
from tests.toy_project import ToyFiles

REPOSITORY = Path(__file__).parents[2]


@pytest.fixture
def here(tmp_path):
    place = ToyFiles(tmp_path).root
    (place / "trial.yaml").write_text("solution: solutions/toy\nparams: {}\nstage: fast\n")
    return place


def run(here: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    environment = {
        **os.environ,
        "PYTHONPATH": str(REPOSITORY / "include"),
        "AUTO_BENCHMARK_HOME": "home",
        "AUTO_BENCHMARK_BENCHMARKS": "benchmarks",
        "AUTO_BENCHMARK_SOLUTIONS": "solutions",
    }
    command = [sys.executable, "-m", "auto_benchmark", "trial", "run", "trial.yaml", "--seed", "1", "--json"]
    return subprocess.run(
        [*command, *arguments], env=environment, cwd=here, capture_output=True, text=True, timeout=120, check=False
    )


@pytest.mark.parametrize("out", ["out", "deep/er", "."])
def test_relative_paths_are_relative_to_the_caller(here, out):
    done = run(here, "--out", out)
    assert done.returncode == 0, done.stderr
    assert json.loads(done.stdout)["state"] == "done"
    assert (here / out / "predictions.jsonl").is_file()
    assert (here / out / "train.log").is_file()
