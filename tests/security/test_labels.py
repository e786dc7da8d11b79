"""Nobody who has the benchmark's code can make the answers of its search and gate splits."""

from __future__ import annotations

import json
from datetime import date, timedelta
from pathlib import Path

import pytest

from auto_benchmark.artifacts.benchmark_data import BenchmarkData

pytestmark = pytest.mark.timeout(120)
BENCHMARKS = Path(__file__).resolve().parents[2] / "include" / "benchmarks"
WITH_A_COPY = """
sys.path.insert(0, os.getcwd())
import copied
first = next(row for row in map(json.loads, (data / "inputs.jsonl").open()) if "digits" in row)
for seed in range(1000):
    if copied.generate(seed, 1).items[0]["digits"] == first["digits"]:
        truth = list(copied.generate(seed, 1500).answers.values())
        answer({i: truth[n]["answer"] for n, i in enumerate(ids)})
        break
"""


def test_a_copy_of_the_generator_and_a_guessed_seed_answer_nothing(hostile):
    copied = {"copied.py": (hostile.benchmarks / "toy" / "generator.py").read_text()}
    ended = hostile.run(WITH_A_COPY, stage="full", files=copied)
    assert ended.state == "done", ended.err[-300:]
    assert ended.told["metrics"]["accuracy"] < 0.9, ended.told["metrics"]


@pytest.mark.parametrize("split", ["search", "gate"])
def test_no_date_and_no_declared_seed_makes_the_bundled_inputs(tmp_path, split):
    from auto_benchmark.artifacts.benchmark_module import generator_of

    data = BenchmarkData(BENCHMARKS / "memory", tmp_path)
    with (data.view(split) / "inputs.jsonl").open() as lines:
        conversation = json.loads(next(lines))["sessions"]
    generator = generator_of(data.folder, data.benchmark.generator)
    days = (date(2026, 1, 1) + timedelta(days=n) for n in range(92))
    guesses = [int(day.strftime("%Y%m%d")) for day in days]
    splits = data.benchmark.splits
    guesses += [
        seed for name in ("train", "search", "gate") if (seed := getattr(getattr(splits, name), "seed", None))
    ]
    found = [seed for seed in guesses if generator.generate(seed, 1).contexts[0]["sessions"] == conversation]
    assert found == []
