"""The recall benchmark: reproducible, answerable, graded by sequence."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from auto_benchmark import documents
from auto_benchmark.artifacts.benchmark_data import BenchmarkData, canonical
from auto_benchmark.artifacts.benchmark_module import load_module
from auto_benchmark.artifacts.split_seeds import PUBLISHED
from auto_benchmark.errors import RefusedError
from auto_benchmark.registry.benchmark import Benchmark

FOLDER = Path(__file__).resolve().parents[3] / "include" / "benchmarks" / "recall"
PAIRS = 32


@pytest.fixture(scope="module")
def generator() -> Any:
    return load_module(FOLDER, "generator.py")


@pytest.fixture(scope="module")
def scorer() -> Any:
    return load_module(FOLDER, "scorer.py")


def test_the_same_seed_gives_the_same_bytes_and_another_gives_others(generator: Any) -> None:
    assert canonical(generator.generate(7, 4)) == canonical(generator.generate(7, 4))
    assert canonical(generator.generate(8, 4)) != canonical(generator.generate(7, 4))


def test_every_query_is_a_key_of_the_sequence_and_its_answer_is_the_value_that_followed_it(generator: Any) -> None:
    data = generator.generate(3, 6)
    assert [len(item["tokens"]) for item in data.items] == [256, 1024] * 6
    for item in data.items:
        tokens = item["tokens"]
        value_of = dict(zip(tokens[0 : 2 * PAIRS : 2], tokens[1 : 2 * PAIRS : 2], strict=True))
        assert len(value_of) == PAIRS, "keys differ from each other"
        asked = [tokens[place] for place in item["queries"]]
        assert sorted(asked) == sorted(value_of) and item["queries"] == sorted(item["queries"])
        assert min(item["queries"]) >= 2 * PAIRS
        assert data.answers[item["id"]]["answer"] == [value_of[key] for key in asked]
        rest = set(range(2 * PAIRS, len(tokens))) - set(item["queries"])
        assert {tokens[place] for place in rest} == {0}


def test_the_declared_digests_are_those_of_the_generator(tmp_path: Path) -> None:
    declared = documents.load(Benchmark, FOLDER / "benchmark.yaml")
    data = BenchmarkData(FOLDER, tmp_path, PUBLISHED)
    assert {s: getattr(declared.splits, s).sha256 for s in ("train", "search", "gate")} == {
        s: data.split_sha256(s) for s in ("train", "search", "gate")
    }


def test_a_view_starts_with_the_rule_and_holds_no_answer_and_hidden_is_refused(tmp_path: Path) -> None:
    data = BenchmarkData(FOLDER, tmp_path, PUBLISHED)
    lines = (data.view("search", 0.05) / "inputs.jsonl").read_text().splitlines()
    assert '"context":"rule"' in lines[0] and '"pairs":32' in lines[0]
    assert len(lines) == 1 + 26 and not any("answer" in line for line in lines)
    with pytest.raises(RefusedError):
        data.view("hidden")


def test_an_item_is_worth_the_share_of_its_queries(scorer: Any) -> None:
    answers = {
        "a": {"answer": [300, 301, 302, 303], "length": 256},
        "b": {"answer": [300, 301], "length": 256},
        "c": {"answer": [300, 301], "length": 1024},
    }
    scores = scorer.score({"a": [300, 301, 302, 0], "b": [300], "c": [300, 301.0]}, answers)
    assert scores.items == {"recall": {"a": 0.75, "b": 0.0}, "recall_long": {"c": 0.5}}
    assert scores.metrics == {"recall": 0.375, "recall_long": 0.5}
    assert scorer.score({}, answers).metrics == {"recall": 0.0, "recall_long": 0.0}
