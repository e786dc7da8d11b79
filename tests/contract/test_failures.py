"""How often each failure is tried again and with what, and that it never becomes a score: in processes and containers.

Several cases are faults that people reported of DockerOperator, Kubernetes and trainings that ran out of memory.
"""

import json

import pytest
import yaml
from tests.toy_project import TOY

from auto_benchmark.artifacts.benchmark_data import BenchmarkData
from auto_benchmark.artifacts.split_seeds import PUBLISHED
from auto_benchmark.contract.failure import FailureClass as F
from auto_benchmark.contract.trial import Stage, TrialState
from auto_benchmark.experiments.trials.attempt import execute
from auto_benchmark.project.bench import Bench, TrialSpec
from auto_benchmark.project.configuration import SolutionFolder, load_benchmark
from auto_benchmark.registry.solution import Solution
from auto_benchmark.runners.docker import DockerRunner
from auto_benchmark.runners.local import LocalRunner
from auto_benchmark.settings import Settings

ANSWERS = """
import json, os, pathlib, sys, time
config = json.loads(os.environ["AB_CONFIG_JSON"])
data, out = pathlib.Path(os.environ["AB_DATA_DIR"]), pathlib.Path(os.environ["AB_OUTPUT_DIR"])
batch = config["params"]["batch"]
def finish():
    rows = [json.loads(line) for line in (data / "inputs.jsonl").open()]
    lines = [json.dumps({"id": r["id"], "answer": "low"}) for r in rows if "id" in r]
    (out / "predictions.jsonl").write_text("\\n".join(lines))
    (out / "metrics.json").write_text('{"metrics": {"latency_ms": 1}}')
"""
CUDA = "raise RuntimeError('CUDA out of memory. Tried to allocate 2.00 GiB')"
LOADER = "raise RuntimeError('DataLoader worker (pid 7) is killed by signal: Killed.')"


@pytest.fixture(params=["local", pytest.param("docker", marks=pytest.mark.docker)])
def bench_for(request, tmp_path):
    """From code to a bench whose solution runs it; ``batch`` is a knob that needs less memory at 8."""
    runner, image = LocalRunner(), "none"
    if request.param == "docker":
        runner, image = DockerRunner(), request.getfixturevalue("contract_image")

    def make(code, *, memory_down=8, **resources):
        knob = {"type": "int", "range": [1, 64], "default": 64}
        declared = {
            "name": "failing", "command": ["python", "-c", ANSWERS + code], "image": image, "benchmark": "toy",
            "knobs": {"batch": knob if memory_down is None else {**knob, "memory_down": memory_down}},
            "resources": {"memory_mb": 200, "fast_budget_s": 20.0, **resources},
        }  # fmt: skip
        folder = tmp_path / "solution"
        folder.mkdir()
        (folder / "solution.yaml").write_text(yaml.safe_dump(declared))
        settings = Settings(home=tmp_path / "home", benchmarks=TOY / "benchmarks")
        benchmark = load_benchmark(settings, "toy")
        solution = SolutionFolder(folder, Solution.model_validate(declared))
        return Bench(solution, benchmark, BenchmarkData(benchmark.path, settings.root, PUBLISHED), runner)

    return make


def outcome_of(bench, folder):
    return execute(TrialSpec(f"ab-failing-{folder.name}", {"batch": 64}, 1, Stage.FAST), bench, folder)


@pytest.fixture
def folder(tmp_path, request):
    return tmp_path / f"trial-{abs(hash(request.node.nodeid)) % 10**8}"


@pytest.mark.parametrize(
    ("code", "failure", "attempts"),
    [
        ("finish(); os.kill(os.getpid(), 9)", F.KILLED, 3),
        ("finish(); raise SystemExit(3)", F.CRASH, 2),
        (CUDA, F.OOM_GPU, 2),
        (LOADER, F.OOM_HOST, 2),
        ("hoard = []\nwhile True: hoard.append(bytearray(2**24)); time.sleep(0.05)", F.OOM_HOST, 2),
        ("finish(); raise SystemExit(78)", F.ENVIRONMENT_ERROR, 1),
        ("finish(); (out / 'predictions.jsonl').write_text('{}')", F.BAD_OUTPUT, 1),
        # a result that only the log tells is none: an older DockerOperator took its last line for the value
        ("print('epoch 1 loss=2.31'); print(json.dumps({'acc': 0.713, 'accuracy': 0.713}))", F.NO_RESULT, 1),
        ("print('{\"acc\": 0.713}', flush=True); print('UserWarning: leaked', file=sys.stderr)", F.NO_RESULT, 1),
    ],
)
def test_a_failure_is_tried_as_often_as_its_class_allows_and_has_no_score(bench_for, folder, code, failure, attempts):
    outcome = outcome_of(bench_for(code), folder)
    assert (outcome.state, outcome.failure, outcome.attempts) == (TrialState.FAILED, failure, attempts), outcome
    assert outcome.metrics == {} and outcome.scores is None and outcome.message
    assert not (folder / "metrics.json").exists() and not (folder / "eval_on_leaderboard.json").exists()


def test_a_trial_over_its_time_is_not_tried_again(bench_for, folder):
    outcome = outcome_of(bench_for("finish(); time.sleep(60)", fast_budget_s=1.5), folder)
    assert (outcome.failure, outcome.attempts, outcome.metrics) == (F.TIMEOUT, 1, {})


@pytest.mark.parametrize("error", [CUDA, LOADER, "raise MemoryError"])
def test_out_of_memory_is_tried_once_more_with_the_declared_smaller_value(bench_for, folder, error):
    outcome = outcome_of(bench_for(f"if batch > 8: {error}\nfinish()"), folder)
    assert (outcome.state, outcome.attempts) == (TrialState.DONE, 2) and 0.4 < outcome.metrics["accuracy"] < 0.6
    assert json.loads((folder / "metrics.json").read_text())["config"]["params"] == {"batch": 8}


def test_without_a_smaller_value_the_same_is_not_tried_again(bench_for, folder):
    outcome = outcome_of(bench_for("raise MemoryError", memory_down=None), folder)
    assert (outcome.failure, outcome.attempts) == (F.OOM_HOST, 1)


def test_exit_0_beside_a_child_that_was_killed_is_judged_by_what_it_left(bench_for, folder):
    """A training that hides the death of its worker and answers all the same is scored on its answers alone."""
    code = "import subprocess\nsubprocess.run(['sh', '-c', 'kill -9 $$'])\nfinish()"
    assert outcome_of(bench_for(code), folder).state is TrialState.DONE
