"""A sweep from its spec to its report, with runs that fail, a kill, and what may not be mixed."""

import csv
import json
import os
import re
import signal
import subprocess
import sys
import threading

import psutil
import pytest
import yaml
from tests.toy_project import environment
from tests.waiting import ended, eventually

from auto_benchmark.artifacts.sweep_folder import SweepFolder
from auto_benchmark.errors import ConfigError, RefusedError
from auto_benchmark.project.configuration import load_benchmark, load_solution
from auto_benchmark.sweeps.known_metrics import unknown_metric
from auto_benchmark.sweeps.run import run

SPEC = {
    "name": "odd or even",
    "solution": "toy_solution",
    "datasets": [{"name": "toy", "version": "2", "split": "gate"}],
    "metrics": {"primary": "accuracy", "secondary": ["latency_ms"], "higher_is_better": True},
    "configurations": [
        {"name": "baseline", "params": {"skill": 0.5}},
        {"name": "skilled", "params": {"skill": 0.9, "fails": "until_repaired"}},
        {"name": "broken", "params": {"fails": "always"}},
    ],
    "baseline": "baseline",
    "seeds": [1, 2, 3, 4, 5],
    "hardware": "a laptop",
    "runner": "local",
}


@pytest.fixture
def write(tmp_path):
    def write(**changes):
        file = tmp_path / "spec.yaml"
        file.write_text(yaml.safe_dump({**SPEC, **changes}, sort_keys=False))
        return file

    return write


def attempts(out):
    """Run id -> attempts that were made."""
    return {f.parent.name: json.loads(f.read_text())["attempts"] for f in out.glob("results/*/run.json")}


class Repair:
    """A person who repairs a trial after its first failure: trials themselves can leave no mark anywhere."""

    def __init__(self, out, solution):
        self.out, self.solution, self.done = out, solution, threading.Event()
        self.thread = threading.Thread(target=self.watch)

    def watch(self):
        while not self.done.wait(0.01):
            for log in self.out.glob("results/skilled-seed*/train.log"):
                (self.solution / f"repaired-{log.parent.name.removeprefix('skilled-seed')}").touch()

    def __enter__(self):
        self.thread.start()

    def __exit__(self, *_):
        self.done.set()
        self.thread.join()


def test_a_sweep_with_failures_ends_in_a_report(toy, write, tmp_path):
    said = []
    with Repair(tmp_path / "out", toy.solutions / "toy_solution"):
        result = run(toy, write(), tmp_path / "out", say=said.append)
    assert (result["runs"], result["done"], result["failed"], result["waiting"]) == (15, 10, 5, 0)
    made = attempts(tmp_path / "out")
    assert [made[f"baseline-seed{i}"] for i in range(1, 6)] == [1] * 5
    assert [made[f"broken-seed{i}"] for i in range(1, 6)] == [3] * 5
    assert all(made[f"skilled-seed{i}"] in {2, 3} for i in range(1, 6))
    assert sum(re.match(r"\[\d+/15\] \S+ seed=\d — primary_metric=0\.\d+", line) is not None for line in said) == 10
    folder = tmp_path / "out" / "results" / "skilled-seed1"
    assert {"config.yaml", "metrics.json", "train.log", "predictions.jsonl"} <= {f.name for f in folder.iterdir()}
    assert yaml.safe_load((folder / "config.yaml").read_text())["params"]["skill"] == 0.9
    assert 0.85 < json.loads((folder / "metrics.json").read_text())["metrics"]["accuracy"] < 0.95
    assert not (tmp_path / "out" / "results" / "broken-seed1" / "metrics.json").exists()
    rows = list(csv.DictReader((tmp_path / "out" / "results.csv").open()))
    assert [r["state"] for r in rows].count("failed") == 5
    report = (tmp_path / "out" / "BENCHMARK_REPORT.md").read_text()
    sections = [line for line in report.splitlines() if line.startswith("## ")]
    assert sections == [
        "## Summary", "## Results Table", "## Statistical Analysis", "## Configuration Details", "## Failure Log",
        "## Reproduction Instructions",
    ]  # fmt: skip
    for line in (
        r"\*\*Date:\*\* \d{4}-\d\d-\d\d", r"\*\*Task:\*\* Tell odd from even", r"\*\*Seeds per config:\*\* 5",
        r"\*\*Dataset:\*\* toy, version 2, split gate", r"\*\*Primary Metric:\*\* accuracy \(higher is better\)",
        r"\*\*Hardware:\*\* a laptop — found: .+",
    ):  # fmt: skip
        assert re.search(f"^{line}$", report, re.MULTILINE), line
    assert re.search(r"^\| 1 \| skilled \| 0\.\d+ ± 0\.\d+ \|", report, re.MULTILINE)
    assert re.search(
        r"^\| broken-seed3 \| 3 of 3 \| crash \| exit 1: ValueError: cannot work \|", report, re.MULTILINE
    )
    assert "**skilled** ranks first" in report
    assert "significantly better" in report
    assert "skilled-seed2, attempt 1: crash: exit 3" in report
    for name in ("scores.png", "scores_over_time.png"):
        assert (tmp_path / "out" / name).read_bytes().startswith(b"\x89PNG")


def test_a_killed_sweep_resumes_without_repeating_what_is_finished(toy, write, tmp_path):
    file = write(
        configurations=[{"name": n, "params": {"skill": s, "sleep": 0.4}} for n, s in (("a", 0.3), ("b", 0.6))],
        baseline="a",
    )
    command = [sys.executable, "-m", "auto_benchmark", "sweep", "run", str(file), "--out", str(tmp_path / "out")]
    first = subprocess.Popen(command, env={**os.environ, **environment(toy)}, stdout=subprocess.PIPE, text=True)
    lines = [first.stdout.readline() for _ in range(3)]
    assert all(line.startswith("[") for line in lines)
    under_way = psutil.Process(first.pid).children(recursive=True)
    os.kill(first.pid, signal.SIGKILL)
    first.wait()
    first.stdout.close()
    eventually(lambda: all(map(ended, under_way)), "the end of the trial under way")
    finished = {p: p.stat().st_mtime_ns for p in (tmp_path / "out").glob("results/*/metrics.json")}
    assert 3 <= len(finished) < 10
    result = run(toy, file, tmp_path / "out")
    assert (result["done"], result["failed"]) == (10, 0)
    assert {p: p.stat().st_mtime_ns for p in finished} == finished
    logs = {p: p.stat().st_mtime_ns for p in (tmp_path / "out").glob("results/*/train.log")}
    assert len(logs) == 10 and set(attempts(tmp_path / "out").values()) == {1}
    assert run(toy, file, tmp_path / "out")["done"] == 10
    assert {p: p.stat().st_mtime_ns for p in logs} == logs, "nothing ran again"


def test_two_sweeps_never_work_in_one_directory(toy, write, tmp_path):
    with SweepFolder(tmp_path / "out").locked(), pytest.raises(RefusedError, match="another sweep is running"):
        run(toy, write(), tmp_path / "out")
    assert attempts(tmp_path / "out") == {}


def test_a_changed_spec_is_refused_in_the_same_directory(toy, write, tmp_path):
    small = {"configurations": SPEC["configurations"][:1], "seeds": [1]}
    run(toy, write(**small), tmp_path / "out")
    log = tmp_path / "out" / "results" / "baseline-seed1" / "train.log"
    before = log.stat().st_mtime_ns
    file = write(**small)
    file.write_text("# a comment changes nothing\n" + file.read_text())
    run(toy, file, tmp_path / "out")
    with pytest.raises(RefusedError, match="changed: seeds"):
        run(toy, write(**{**small, "seeds": [1, 2]}), tmp_path / "out")
    assert log.stat().st_mtime_ns == before


@pytest.mark.parametrize(
    ("change", "fault"),
    [
        ({"datasets": [{"name": "toy", "version": "1"}]}, r"datasets\[0\]\.version: toy is at version '2'"),
        ({"datasets": [{"name": "tay", "version": "2"}]}, r"datasets\[0\]\.name: no benchmark 'tay'"),
        ({"datasets": [{"name": "toy", "version": "2", "sha256": "0" * 64}]}, r"datasets\[0\]\.sha256: "),
        ({"solution": "nobody"}, r"spec\.yaml:2: solution: no solution 'nobody'"),
        ({"runner": "cloud"}, r"runner: no runner is called 'cloud'"),
        ({"configurations": [{"name": "x", "params": {"skil": 1}}], "baseline": None}, r"params\.skil: no knob"),
    ],
)
def test_what_the_spec_names_is_checked(toy, write, tmp_path, change, fault):
    with pytest.raises(ConfigError, match=fault):
        run(toy, write(**change), tmp_path / "out")
    assert not (tmp_path / "out").exists()


@pytest.mark.parametrize(
    ("metrics", "fault"),
    [
        ({"primary": "acuracy"}, r"spec\.yaml:\d+: metrics\.primary: no metric 'acuracy'; did you mean 'accuracy'\?"),
        (
            {"primary": "accuracy", "secondary": ["latency_ms", "acurracy"]},
            r"metrics\.secondary\[1\]: no metric 'acurracy'",
        ),
        ({"primary": "accuracy", "secondary": ["slice_gab"]}, r"no metric 'slice_gab'; did you mean 'slice_gap'\?"),
    ],
)
def test_a_misspelt_metric_is_refused_before_the_first_run(toy, write, tmp_path, metrics, fault):
    with pytest.raises(ConfigError, match=fault):
        run(toy, write(metrics=metrics), tmp_path / "out")
    assert not (tmp_path / "out").exists()


def test_the_gap_between_slices_is_a_metric_of_a_sweep(toy, write, tmp_path):
    metrics = {"primary": "accuracy", "secondary": ["worst_slice", "slice_gap"]}
    file = write(configurations=[{"name": "a", "params": {}}], baseline="a", metrics=metrics)
    assert run(toy, file, tmp_path / "out")["failed"] == 0
    rows = list(csv.DictReader((tmp_path / "out" / "results.csv").open()))
    stored = json.loads((tmp_path / "out" / "results" / "a-seed1" / "metrics.json").read_text())
    scores = sorted(table["accuracy"] for table in stored["slices"].values())
    first = next(row for row in rows if row["seed"] == "1")
    assert float(first["worst_slice"]) == pytest.approx(scores[0])
    assert float(first["slice_gap"]) == pytest.approx(scores[1] - scores[0]) != 0
    report = (tmp_path / "out" / "BENCHMARK_REPORT.md").read_text()
    assert "slice_gap" in report.split("## Results Table")[1].split("## Statistical Analysis")[0]


@pytest.mark.parametrize("name", ["recall@5", "bleu", "wall_s", "peak_memory_mb"])
def test_a_metric_that_may_be_composed_while_a_trial_runs_is_not_refused(toy, name):
    solution, benchmark = load_solution(toy, "toy_solution"), load_benchmark(toy, "toy")
    assert unknown_metric(name, solution, benchmark) is None


def test_a_metric_that_no_trial_gives_fails_at_once_and_says_what_there_is(toy, write, tmp_path):
    """Code that names a metric need not report it."""
    (toy.solutions / "toy_solution" / "notes.py").write_text("WANTED = 'acuracy'\n")
    metrics = {"primary": "acuracy", "higher_is_better": True}
    result = run(toy, write(metrics=metrics, configurations=SPEC["configurations"][:1], seeds=[1]), tmp_path / "out")
    assert (result["done"], result["failed"], attempts(tmp_path / "out")) == (0, 1, {"baseline-seed1": 1})
    assert "did you mean 'accuracy'?" in (tmp_path / "out" / "BENCHMARK_REPORT.md").read_text()


def test_budgets_stop_a_sweep_before_and_during_a_run(toy, write, tmp_path):
    said = []
    result = run(toy, write(budget={"trials": 4}), tmp_path / "trials", say=said.append)
    assert sum(attempts(tmp_path / "trials").values()) == 4
    assert result["waiting"] == 15 - result["done"] - result["failed"] > 10
    assert any("the budget of 4 trials is spent" in line for line in said)
    assert "runs were not run" in (tmp_path / "trials" / "BENCHMARK_REPORT.md").read_text()
    slow = [{"name": "slow", "params": {"sleep": 30}}]
    result = run(
        toy, write(configurations=slow, baseline="slow", budget={"hours": 0.5 / 3600}), tmp_path / "hours",
        say=said.append,
    )  # fmt: skip
    assert (result["done"], result["failed"], result["waiting"]) == (0, 0, 5), "the first of its runs was stopped"


def test_two_tasks_are_averaged_and_shown_apart(toy, write, tmp_path):
    both = [{"name": "toy", "version": 2, "split": split} for split in ("gate", "search")]
    result = run(toy, write(datasets=both, aggregation="micro", seeds=[1, 2]), tmp_path / "out")
    assert [r["title"] for r in result["rankings"]] == ["all tasks (micro average)", "toy/gate", "toy/search"]
    overall, gate, search = (next(r for r in rank["rows"] if r["name"] == "baseline") for rank in result["rankings"])
    expected = (2000 * gate["scores"][1] + 200 * search["scores"][1]) / 2200
    assert overall["scores"][1] == pytest.approx(expected)
    assert "### all tasks (micro average)" in (tmp_path / "out" / "BENCHMARK_REPORT.md").read_text()


BATCHING = """
import json, os, pathlib, random, sys
config = json.loads(os.environ["AB_CONFIG_JSON"]); p = config["params"]
data, root = pathlib.Path(os.environ["AB_DATA_DIR"]), pathlib.Path(os.environ["AB_OUTPUT_DIR"])
print("one process for", config["seeds"])
if p["fails"] == "always":
    raise ValueError("cannot work")
rows = [json.loads(line) for line in (data / "inputs.jsonl").read_text().splitlines()]
for seed in config["seeds"]:
    if p["fails"] == "until_repaired" and seed == 3 and len(config["seeds"]) > 1:
        continue
    rng, out = random.Random(seed), root / f"seed-{seed}"
    out.mkdir()
    lines = [{"id": r["id"], "answer": r["x"] % 2 if rng.random() < p["skill"] else 2} for r in rows]
    (out / "predictions.jsonl").write_text("".join(json.dumps(line) + "\\n" for line in lines))
    (out / "metrics.json").write_text(json.dumps({"metrics": {"latency_ms": 1.0}}))
"""


def test_a_batching_solution_runs_its_seeds_in_one_process(toy, write, tmp_path):
    solution = toy.solutions / "toy_solution"
    (solution / "train.py").write_text(BATCHING)
    declared = json.loads((solution / "solution.yaml").read_text())
    (solution / "solution.yaml").write_text(json.dumps({**declared, "seeds_per_process": 3}))
    said, out = [], tmp_path / "out"
    result = run(toy, write(), out, say=said.append)
    assert (result["done"], result["failed"], result["waiting"]) == (10, 5, 0)

    def seeds(log):
        return log.read_text().splitlines()[0].removeprefix("one process for ")

    assert [seeds(out / f"results/baseline-seed{i}/train.log") for i in range(1, 6)] == ["[1, 2, 3]"] * 3 + [
        "[4, 5]"
    ] * 2
    made = attempts(out)
    assert [made[f"baseline-seed{i}"] for i in range(1, 6)] == [1] * 5
    assert [made[f"broken-seed{i}"] for i in range(1, 6)] == [3] * 5
    assert [made[f"skilled-seed{i}"] for i in range(1, 6)] == [1, 1, 2, 1, 1], (
        "a seed that failed alone runs again alone"
    )
    assert seeds(out / "results/skilled-seed3/train.log") == "[3]"
    assert sum(re.match(r"\[\d+/15\] ", line) is not None for line in said) == 15
    alone = {"configurations": SPEC["configurations"][:1], "seeds": [2]}
    run(toy, write(**alone), tmp_path / "alone")
    scores = [
        json.loads((p / "results/baseline-seed2/metrics.json").read_text())["scored"]
        for p in (out, tmp_path / "alone")
    ]
    assert scores[0] == scores[1], "a seed scores the same in company and alone"


def test_a_budget_cuts_a_batch(toy, write, tmp_path):
    solution = toy.solutions / "toy_solution"
    (solution / "train.py").write_text(BATCHING)
    declared = json.loads((solution / "solution.yaml").read_text())
    (solution / "solution.yaml").write_text(json.dumps({**declared, "seeds_per_process": 3}))
    result = run(toy, write(budget={"trials": 4}), tmp_path / "out")
    assert sum(attempts(tmp_path / "out").values()) == 4 and result["waiting"] >= 11


def test_uses_of_a_split_are_told_once(toy, write, tmp_path):
    for _ in range(2):
        result = run(toy, write(configurations=SPEC["configurations"][:1], seeds=[1, 2]), tmp_path / "out")
        assert result["split_uses"] == [{"benchmark": "toy", "version": "2", "split": "gate", "queries": 2}]
    assert "gate answers of toy were asked 2 times" in (tmp_path / "out" / "BENCHMARK_REPORT.md").read_text()


def test_the_report_says_what_differs_and_how_to_repeat_it(toy, write, tmp_path):
    run(toy, write(seeds=[1, 2], max_reruns=0), tmp_path / "out")
    report = (tmp_path / "out" / "BENCHMARK_REPORT.md").read_text()
    assert "Differs from the baseline in: skill: 0.9, fails: until_repaired." in report
    assert "4 of 6 runs failed (all of skilled, all of broken): see the failure log." in report
    assert f"export AUTO_BENCHMARK_SOLUTIONS={toy.solutions}" in report
    assert "the baseline, baseline" not in report
