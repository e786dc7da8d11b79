"""``auto-benchmark trial run`` as a person calls it: from their own folder, with paths as they type them."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest
from tests.toy_project import ToyFiles

REPOSITORY = Path(__file__).parents[2]
SLICED_DATA = """
plain = generate

def generate(seed, worlds):
    data = plain(seed, worlds)
    for i, answer in enumerate(data.answers.values()):
        answer["slice"] = "ab"[i % 2]
    return data
"""
SLICED_SCORES = """
whole = score

def score(predictions, answers):
    parts = {p: {k: a for k, a in answers.items() if a["slice"] == p} for p in "ab"}
    slices = {p: whole(predictions, part).metrics for p, part in parts.items()}
    return whole(predictions, answers).model_copy(update={"slices": slices})
"""


@pytest.fixture
def here(tmp_path):
    place = ToyFiles(tmp_path).root
    (place / "trial.yaml").write_text("solution: solutions/toy\nparams: {}\nstage: fast\n")
    return place


@pytest.fixture
def forging(here):
    """The solution claims fairness of its own."""
    train = here / "solutions" / "toy" / "train.py"
    train.write_text(train.read_text().replace('"accuracy": 1.0', '"slice_gap": 0.0, "worst_slice": 1.0'))
    return here


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


@pytest.mark.parametrize(("stage", "split"), [("stage: fast\n", "search"), ("stage: full\n", "gate"), ("", "gate")])
def test_it_says_which_items_answered(here, stage, split):
    (here / "trial.yaml").write_text(f"solution: solutions/toy\n{stage}")
    done = run(here, "--out", "out")
    assert json.loads(done.stdout)["split"] == split
    assert f"measured on the items of {split}" in done.stderr
    assert ("cannot judge" in done.stderr) is (split == "gate")


def test_a_benchmark_with_slices_has_fairness_metrics_and_no_trial_gives_them(forging):
    folder = forging / "benchmarks" / "toy"
    for name, more in (("generator.py", SLICED_DATA), ("scorer.py", SLICED_SCORES)):
        (folder / name).write_text((folder / name).read_text() + more)
    done = run(forging, "--out", "out")
    assert done.returncode == 0, done.stderr
    stored = json.loads((forging / "out" / "metrics.json").read_text())
    worst, best = sorted(table["accuracy"] for table in stored["slices"].values())
    assert stored["metrics"]["worst_slice"] == worst
    assert stored["metrics"]["slice_gap"] == best - worst
    assert {"worst_slice", "slice_gap"} <= set(stored["scored"])


def test_a_benchmark_without_slices_has_none_whatever_a_trial_says(forging):
    done = run(forging, "--out", "out")
    assert done.returncode == 0, done.stderr
    metrics = json.loads((forging / "out" / "metrics.json").read_text())["metrics"]
    assert "latency_ms" in metrics
    assert not {"worst_slice", "slice_gap"} & set(metrics)
