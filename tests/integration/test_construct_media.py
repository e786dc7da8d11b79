"""Pictures and sounds of a construction reach a solution: beside the items, and among a trial's inputs."""

import os
import subprocess
import sys
from pathlib import Path

import yaml
from tests.toy_project import ToyFiles

from auto_benchmark.construction.publish import publish
from auto_benchmark.construction.run import run as construct
from auto_benchmark.construction.stages import read_rows

REPOSITORY = Path(__file__).parents[2]
REQUEST = {
    "name": "seen", "request": "Networks in diagrams", "sources": ["diagrams"], "target_size": 20, "rounds": 1,
    "per_round": 1, "pilot_items": 8, "candidates": ["planted"],
}  # fmt: skip
LOOKS = """
import hashlib, json, os
from pathlib import Path

data, out = Path(os.environ["AB_DATA_DIR"]), Path(os.environ["AB_OUTPUT_DIR"])
with (out / "predictions.jsonl").open("w") as file:
    for item in map(json.loads, (data / "inputs.jsonl").read_text().splitlines()):
        if "id" in item:
            (name,) = item["input"]["media"]
            mode = (data / name).stat().st_mode & 0o222
            seen = hashlib.sha256((data / name).read_bytes()).hexdigest()
            file.write(json.dumps({"id": item["id"], "answer": f"{seen} {mode}"}) + "\\n")
(out / "metrics.json").write_text(json.dumps({"metrics": {"latency_ms": 1.0}}))
"""


def test_a_trial_reads_the_pictures_of_a_published_construction(tmp_path):
    here = ToyFiles(tmp_path)
    request = tmp_path / "request.yaml"
    request.write_text(yaml.safe_dump(REQUEST))
    construct(here.settings(), request, tmp_path / "out", say=lambda _: None)
    publish(here.settings(), tmp_path / "out")
    here.declare(benchmark="seen")
    (here.solution / "train.py").write_text(LOOKS)
    (here.root / "trial.yaml").write_text("solution: solutions/toy\nparams: {}\nstage: fast\n")
    command = [
        sys.executable,
        "-m",
        "auto_benchmark",
        "trial",
        "run",
        "trial.yaml",
        "--seed",
        "1",
        "--json",
        "--out",
        "out",
    ]
    places = {"AUTO_BENCHMARK_HOME": "home", "AUTO_BENCHMARK_BENCHMARKS": "benchmarks",
              "AUTO_BENCHMARK_SOLUTIONS": "solutions", "PYTHONPATH": str(REPOSITORY / "include")}  # fmt: skip
    done = subprocess.run(
        command, env={**os.environ, **places}, cwd=here.root, capture_output=True, text=True, timeout=120, check=False
    )
    assert done.returncode == 0, done.stderr
    answers = [row["answer"] for row in read_rows(here.root / "out" / "predictions.jsonl")]
    built = {row["media_sha256"] for row in read_rows(tmp_path / "out" / "privileged.jsonl")}
    assert answers and {answer.split()[0] for answer in answers} <= built
    assert {answer.split()[1] for answer in answers} == {"0"}, "a trial may not write to its inputs"
