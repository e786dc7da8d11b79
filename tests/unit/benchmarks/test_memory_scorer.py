"""The memory benchmark's scorer on answers graded by hand."""

from __future__ import annotations

from pathlib import Path

import pytest

from auto_benchmark.artifacts.benchmark_data import load_scorer

FOLDER = Path(__file__).resolve().parents[3] / "include" / "benchmarks" / "memory"
SCORER = load_scorer(FOLDER)
ANSWERS = {
    "a": {"answer": "Port Velmora", "slices": ["single_hop", "long_context"]},
    "b": {"answer": "Karbin", "slices": ["updated"]},
    "c": {"answer": "unknown", "slices": ["unanswerable"]},
    "d": {"answer": "Sol", "slices": ["temporal", "long_context"]},
}


def test_exact_match_ignores_case_articles_and_punctuation() -> None:
    scores = SCORER.score({"a": "the  port velmora.", "b": "KARBIN!", "c": "Unknown", "d": "Solar"}, ANSWERS)
    assert scores.items["accuracy"] == {"a": 1.0, "b": 1.0, "c": 1.0, "d": 0.0}
    assert scores.metrics["accuracy"] == 0.75


def test_f1_counts_shared_words_of_long_context_items_only() -> None:
    scores = SCORER.score({"a": "Velmora", "d": "Sol"}, ANSWERS)
    assert scores.items["f1"] == {"a": pytest.approx(2 / 3), "d": 1.0}
    assert scores.metrics["f1"] == pytest.approx(5 / 6)


def test_a_repeated_word_counts_as_often_as_it_is_expected() -> None:
    assert SCORER.score({"a": "port port port"}, ANSWERS).items["f1"]["a"] == pytest.approx(2 / 5)


def test_missing_and_odd_predictions_are_wrong_answers() -> None:
    scores = SCORER.score({"a": None, "b": 7, "c": ["unknown"]}, {k: ANSWERS[k] for k in "abd"})
    assert scores.metrics == {"accuracy": 0.0, "f1": 0.0}


def test_slices_are_means_over_their_items() -> None:
    scores = SCORER.score({"a": "Port Velmora", "d": "nothing"}, ANSWERS)
    assert scores.slices["long_context"] == {"accuracy": 0.5, "f1": 0.5}
    assert scores.slices["updated"] == {"accuracy": 0.0}


def test_without_long_context_items_there_is_no_f1() -> None:
    assert set(SCORER.score({"b": "Karbin"}, {"b": ANSWERS["b"]}).metrics) == {"accuracy"}
