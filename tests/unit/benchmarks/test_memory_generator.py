"""The memory benchmark's data: reproducible, answerable, free of answers where a trial can look."""

from __future__ import annotations

import hashlib
import itertools
from pathlib import Path
from typing import Any

import pytest

from auto_benchmark import documents
from auto_benchmark.artifacts.benchmark_data import canonical
from auto_benchmark.artifacts.benchmark_module import Data, load_module
from auto_benchmark.registry.benchmark import Benchmark

FOLDER = Path(__file__).resolve().parents[3] / "include" / "benchmarks" / "memory"
MONTHS = 12


@pytest.fixture(scope="module")
def generator() -> Any:
    return load_module(FOLDER, "generator.py")


@pytest.fixture(scope="module")
def data(generator: Any) -> Data:
    return generator.generate(7, 6)


def text_of(data: Data, context: str) -> str:
    found = next(c for c in data.contexts if c["context"] == context)
    return " ".join(turn["text"] for session in found["sessions"] for turn in session["turns"])


def test_the_same_seed_gives_the_same_bytes_and_another_gives_others(generator: Any, data: Data) -> None:
    assert canonical(generator.generate(7, 6)) == canonical(data)
    assert canonical(generator.generate(8, 6)) != canonical(data)


@pytest.mark.parametrize("split", ["train", "search", "gate"])
def test_declared_digests_are_those_of_the_generated_splits(generator: Any, split: str) -> None:
    declared = getattr(documents.load(Benchmark, FOLDER / "benchmark.yaml").splits, split)
    found = hashlib.sha256(canonical(generator.generate(declared.seed, declared.worlds))).hexdigest()
    assert found == declared.sha256


def test_every_world_has_the_declared_mix_of_questions(generator: Any, data: Data) -> None:
    assert len(data.contexts) == 6
    assert len(data.items) == len(data.answers) == 6 * generator.ITEMS_PER_WORLD
    for kind, count in generator.QUESTIONS.items():
        assert sum(kind in a["slices"] for a in data.answers.values()) == 6 * count


def test_answers_were_said_and_unanswerable_ones_were_not(data: Data) -> None:
    for item in data.items:
        answer = data.answers[item["id"]]
        said = answer["answer"] in text_of(data, item["context"])
        assert said == ("unanswerable" not in answer["slices"]), item


def test_inputs_carry_question_and_context_only(data: Data) -> None:
    assert all(set(item) == {"id", "context", "question"} for item in data.items)
    assert all(data.answers[item["id"]]["answer"] not in item["question"] for item in data.items)
    assert all(set(context) == {"context", "sessions"} for context in data.contexts)


def test_item_order_and_ids_say_nothing_about_kind_or_context(data: Data) -> None:
    kinds = [data.answers[item["id"]]["slices"][0] for item in data.items]
    changes = sum(a != b for a, b in itertools.pairwise(kinds))
    assert changes > len(kinds) / 2
    assert [item["id"] for item in data.items] == sorted(item["id"] for item in data.items)


def test_an_updated_answer_is_the_one_said_last_and_a_temporal_one_is_not(data: Data) -> None:
    for item in data.items:
        answer = data.answers[item["id"]]
        if "temporal" in answer["slices"]:
            assert item["question"].startswith("Back in ")
        if "updated" in answer["slices"]:
            assert not item["question"].startswith("Back in ")


def test_conversations_are_long_and_monthly(data: Data) -> None:
    for context in data.contexts:
        assert len(context["sessions"]) == MONTHS
        assert sum(len(session["turns"]) for session in context["sessions"]) > 200


def test_long_context_items_are_answerable_and_about_four_in_ten(data: Data) -> None:
    long = [a for a in data.answers.values() if "long_context" in a["slices"]]
    assert not any("unanswerable" in a["slices"] for a in long)
    assert 0.25 < len(long) / len(data.answers) < 0.55
