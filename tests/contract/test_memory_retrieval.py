"""The bundled solution under the trial contract, as a real process."""

from __future__ import annotations

import json
import re
import shutil
import subprocess
import sys
from dataclasses import fields
from pathlib import Path
from typing import Any

import pytest

from auto_benchmark import documents
from auto_benchmark.artifacts.benchmark_data import BenchmarkData
from auto_benchmark.artifacts.benchmark_module import load_module
from auto_benchmark.artifacts.split_seeds import PUBLISHED
from auto_benchmark.artifacts.trial_output import read_metrics, read_predictions
from auto_benchmark.contract.trial import BenchmarkRef, Stage, TrialConfig, TrialState
from auto_benchmark.registry.solution import Params, Solution
from auto_benchmark.runners.local import LocalRunner
from auto_benchmark.runners.runner import ProgressLine, TrialRequest

INCLUDE = Path(__file__).resolve().parents[2] / "include"
FOLDER = INCLUDE / "solutions" / "memory_retrieval"
SOLUTION = documents.load(Solution, FOLDER / "solution.yaml")


@pytest.fixture(scope="module")
def data(tmp_path_factory: pytest.TempPathFactory) -> BenchmarkData:
    """The memory benchmark with few worlds."""
    root = tmp_path_factory.mktemp("contract")
    shutil.copytree(INCLUDE / "benchmarks" / "memory", root / "memory", ignore=shutil.ignore_patterns("__pycache__"))
    file = root / "memory" / "benchmark.yaml"
    declared = re.sub(r', sha256: "\w+"', "", file.read_text(encoding="utf-8"))
    file.write_text(re.sub(r"worlds: \d+", "worlds: 8", declared), encoding="utf-8")
    return BenchmarkData(root / "memory", root / "home", PUBLISHED)


class Trials:
    """Runs trials on the small benchmark's search split."""

    def __init__(self, data: BenchmarkData, root: Path) -> None:
        self.data, self.root, self.count = data, root, 0
        self.progress: list[ProgressLine] = []

    def run(
        self, params: Params, seed: int = 1, subset: float = 1.0, workdir: Path = FOLDER, data: Path | None = None
    ) -> Path:
        self.count += 1
        output = self.root / f"out-{self.count}"
        output.mkdir()
        config = TrialConfig(
            params=params,
            seed=seed,
            stage=Stage.FAST,
            subset=subset,
            benchmark=BenchmarkRef(name="memory", version="1"),
        )
        request = TrialRequest(
            f"t{self.count}", SOLUTION.command, "", workdir, config, data or self.data.view("search", subset), output
        )
        self.result = LocalRunner().run(request, on_progress=self.progress.append)
        return output

    def accuracy(self, params: Params, seed: int = 1) -> float:
        answers = self.data.answers("search")
        output = self.run(params, seed)
        assert self.result.state is TrialState.DONE, self.result.message
        return self.data.scorer().score(read_predictions(output, set(answers)), answers).metrics["accuracy"]


@pytest.fixture
def trials(data: BenchmarkData, tmp_path: Path) -> Trials:
    return Trials(data, tmp_path)


def test_output_is_complete_and_progress_is_mirrored(trials: Trials, data: BenchmarkData) -> None:
    output = trials.run(SOLUTION.defaults)
    assert trials.result.state is TrialState.DONE
    assert set(read_predictions(output, set(data.answers("search")))) == set(data.answers("search"))
    metrics = read_metrics(output)
    assert metrics["latency_ms"] > 0
    assert 10 < metrics["memory_mb"] < SOLUTION.resources.memory_mb
    lines = [json.loads(line) for line in (output / "progress.jsonl").read_text(encoding="utf-8").splitlines()]
    assert [line["step"] for line in lines] == [p.step for p in trials.progress] == [0, 1, 2]


def test_the_seed_fixes_the_answers_and_matters(trials: Trials) -> None:
    first, same, other = (
        (trials.run(SOLUTION.defaults, seed) / "predictions.jsonl").read_bytes() for seed in (1, 1, 2)
    )
    assert first == same
    assert first != other


def test_a_checkpoint_answers_as_the_system_that_wrote_it(
    trials: Trials, data: BenchmarkData, tmp_path: Path
) -> None:
    params = {**SOLUTION.defaults, "multi_hop_steps": 2, "time_filter": True}
    trained = trials.run(params)
    content = (trained / "checkpoint.bin").read_bytes()
    assert (trials.run(params) / "checkpoint.bin").read_bytes() == content, "the same training, the same bytes"
    view = tmp_path / "trained"
    view.mkdir()
    shutil.copy(data.view("search") / "inputs.jsonl", view)
    (view / "checkpoint.bin").write_bytes(content)
    answers = (trained / "predictions.jsonl").read_bytes()
    for _ in range(2):
        asked = trials.run(params, data=view)
        assert trials.result.state is TrialState.DONE, trials.result.message
        assert (asked / "predictions.jsonl").read_bytes() == answers
        assert not (asked / "checkpoint.bin").exists()
    shutil.copy(data.view("gate") / "inputs.jsonl", view)
    trials.run(params, data=view)
    assert trials.result.state is TrialState.DONE, "words that training has not seen are novel"


def test_defaults_leave_room_that_several_knobs_fill(trials: Trials) -> None:
    default = trials.accuracy({})
    two = trials.accuracy({"multi_hop_steps": 2, "time_filter": True})
    four = trials.accuracy(
        {"multi_hop_steps": 2, "time_filter": True, "abstention_threshold": 0.4, "update_handling": "latest"}
    )
    assert 0.3 < default < two - 0.05 < four - 0.1
    assert trials.accuracy({"feedback_terms": 5}) < default


def test_subset_cuts_training_data_too(trials: Trials) -> None:
    trials.run(SOLUTION.defaults, subset=0.25)
    assert trials.progress[0].metrics["training_conversations"] == 2


@pytest.mark.parametrize(
    ("params", "message"),
    [
        ({"depth": 3}, "depth: no such knob"),
        ({"top_k": 0}, "top_k: should lie in [1, 20], is 0"),
        ({"top_k": 2.5}, "top_k: should be a whole number"),
        ({"stemming": "deep"}, "stemming: should be one of none, light, prefix"),
        ({"time_filter": "yes"}, "time_filter: should be true or false"),
        ({"length_norm": True}, "length_norm: should be a number"),
    ],
)
def test_faulty_parameters_end_the_trial_with_their_name(trials: Trials, params: Params, message: str) -> None:
    output = trials.run(params)
    assert trials.result.state is TrialState.FAILED
    assert trials.result.exit_code == 2
    assert message in (output / "train.log").read_text(encoding="utf-8")


def test_declared_knobs_are_those_of_the_code() -> None:
    knobs: Any = load_module(FOLDER, "knobs.py")
    assert {f.name: f.default for f in fields(knobs.Knobs)} == SOLUTION.defaults
    for name, knob in SOLUTION.knobs.items():
        declared = tuple(knob.choices or ()) if knob.type == "choice" else tuple(knob.range or ())
        assert knobs.LIMITS[name] == declared, name


def test_every_technique_changes_the_defaults() -> None:
    for technique, patch in SOLUTION.techniques.items():
        assert patch, technique
        assert any(SOLUTION.defaults[knob] != value for knob, value in patch.items()), technique


PEEKER = """
import json, os, pathlib
seen = [json.dumps(dict(os.environ))]
for place in (os.environ["AB_DATA_DIR"], os.getcwd(), os.environ["HOME"]):
    for path in sorted(pathlib.Path(place).rglob("*")):
        if path.is_file():
            seen.append(str(path) + "\\n" + path.read_text(errors="replace"))
pathlib.Path(os.environ["AB_OUTPUT_DIR"], "seen.json").write_text(json.dumps(seen))
"""


def test_a_trial_that_reads_everything_finds_no_label(trials: Trials, data: BenchmarkData, tmp_path: Path) -> None:
    peeker = tmp_path / "peeker"
    peeker.mkdir()
    (peeker / "train.py").write_text(PEEKER, encoding="utf-8")
    answers = data.answers("search")
    output = trials.run({}, workdir=peeker)
    environment, *files = json.loads((output / "seen.json").read_text(encoding="utf-8"))
    assert {Path(text.splitlines()[0]).name for text in files} == {"train.jsonl", "inputs.jsonl", "train.py"}
    for name in ("TOKEN", "AIRFLOW", "DB_URL", "sealed"):
        assert name not in environment
    assert not any(a["answer"] in environment for a in answers.values() if a["answer"] != "unknown")
    inputs = next(text.splitlines()[1:] for text in files if text.splitlines()[0].endswith("inputs.jsonl"))
    asked = [row for row in map(json.loads, inputs) if "id" in row]
    assert {row["id"] for row in asked} == set(answers)
    for row in asked:
        assert set(row) == {"id", "context", "question"}
        assert answers[row["id"]]["answer"] not in json.dumps(row)


def test_the_solution_needs_numpy_and_nothing_of_the_library() -> None:
    sources = "\n".join(path.read_text(encoding="utf-8") for path in FOLDER.glob("*.py"))
    imported = set(re.findall(r"^(?:from|import) (\w+)", sources, re.MULTILINE))
    own = {path.stem for path in FOLDER.glob("*.py")}
    assert {m for m in imported - own if m not in sys.stdlib_module_names} == {"numpy"}
    lock = (FOLDER / "requirements.lock").read_text(encoding="utf-8")
    pinned = re.findall(r"^([\w-]+)==[\w.]+ \\\n    --hash=sha256:[0-9a-f]{64}", lock, re.MULTILINE)
    assert pinned == ["numpy"]


def test_it_starts_without_a_contract_only_to_say_so() -> None:
    done = subprocess.run(
        [sys.executable, "train.py"], cwd=FOLDER, env={}, capture_output=True, text=True, check=False
    )
    assert done.returncode == 2
    assert "AB_CONFIG_JSON" in done.stderr
    assert "Traceback" not in done.stderr
