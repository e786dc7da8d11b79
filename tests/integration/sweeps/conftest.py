"""A benchmark and a solution that take a tenth of a second."""

import json
import textwrap

import pytest

from auto_benchmark.settings import Settings

GENERATOR = """
from typing import NamedTuple
class Data(NamedTuple):
    contexts: list
    items: list
    answers: dict
def generate(seed, worlds):
    items = [{"id": f"{seed}-{i}", "x": (seed * 31 + i * 7) % 101} for i in range(worlds)]
    slices = [["low"] if row["x"] < 50 else ["high"] for row in items]
    return Data([], items, {r["id"]: {"answer": r["x"] % 2, "slices": s} for r, s in zip(items, slices)})
"""
SCORER = """
from auto_benchmark.contract.scoring import Scores
def score(predictions, answers):
    right = {i: float(predictions.get(i) == a["answer"]) for i, a in answers.items()}
    slices = {}
    for i, a in answers.items():
        slices.setdefault(a["slices"][0], []).append(right[i])
    mean = lambda v: sum(v) / len(v)
    return Scores(metrics={"accuracy": mean(right.values())}, items={"accuracy": right},
                  slices={s: {"accuracy": mean(v)} for s, v in slices.items()})
"""
TRAIN = """
import json, os, pathlib, random, sys, time
config = json.loads(os.environ["AB_CONFIG_JSON"]); p = config["params"]
data, out = pathlib.Path(os.environ["AB_DATA_DIR"]), pathlib.Path(os.environ["AB_OUTPUT_DIR"])
time.sleep(p["sleep"])
if p["fails"] == "always":
    raise ValueError("cannot work")
if p["fails"] == "until_repaired" and not pathlib.Path(f"repaired-{config['seed']}").exists():
    sys.exit(3)
rng = random.Random(config["seed"])
rows = [json.loads(line) for line in (data / "inputs.jsonl").read_text().splitlines()]
lines = [{"id": r["id"], "answer": r["x"] % 2 if rng.random() < p["skill"] else 2} for r in rows]
(out / "predictions.jsonl").write_text("".join(json.dumps(line) + "\\n" for line in lines))
(out / "metrics.json").write_text(json.dumps({"metrics": {"latency_ms": 1.0 + p["skill"]}}))
"""


@pytest.fixture
def toy(tmp_path):
    """Settings with the benchmark ``toy`` and the solution ``toy_solution``."""
    benchmark, solution = tmp_path / "benchmarks" / "toy", tmp_path / "solutions" / "toy_solution"
    for folder, files in (
        (benchmark, {"generator.py": GENERATOR, "scorer.py": SCORER}),
        (solution, {"train.py": TRAIN}),
    ):
        folder.mkdir(parents=True)
        for name, text in files.items():
            (folder / name).write_text(text)
    (benchmark / "benchmark.yaml").write_text(
        textwrap.dedent("""\
        name: toy
        version: "2"
        task: Tell odd from even
        generator: generator.py
        scorer: scorer.py
        boards: {ToyBoard: {metric: accuracy, higher_is_better: true}}
        splits:
          train: {seed: 1, worlds: 5}
          search: {seed: 2, worlds: 200}
          gate: {seed: 3, worlds: 2000}
          hidden: {worlds: 10}
        """)
    )
    knobs = {
        "skill": {"type": "float", "range": [0, 1], "default": 0.5},
        "sleep": {"type": "float", "range": [0, 60], "default": 0.0},
        "fails": {"type": "choice", "choices": ["never", "until_repaired", "always"], "default": "never"},
    }
    declared = {"name": "toy_solution", "command": ["python", "train.py"], "image": "none", "benchmark": "toy"}
    (solution / "solution.yaml").write_text(json.dumps({**declared, "knobs": knobs, "metrics": {}}))
    return Settings(
        home=tmp_path / "home", benchmarks=tmp_path / "benchmarks", solutions=tmp_path / "solutions",
        config=tmp_path / "config",
    )  # fmt: skip
