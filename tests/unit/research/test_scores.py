"""Absolute results with their metric."""

from __future__ import annotations

import pytest

from auto_benchmark.research.scores import find_scores
from auto_benchmark.research.text import sentences


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("We reach 88.1% joint goal accuracy on DialogSet.", [(88.1, "joint goal accuracy", "DialogSet")]),
        ("Our model obtains a BLEU score of 36.5 on NewsSet.", [(36.5, "BLEU score", "NewsSet")]),
        ("We report test perplexities: perplexity 47.7 on WordSet.", [(47.7, "perplexity", "WordSet")]),
        ("We use 12 layers and 0.1 as a constant.", []),
    ],
)
def test_scores(text: str, expected: list[tuple[float, str, str]]) -> None:
    read = sentences(text)
    found = find_scores(read, [True] * len(read))
    assert [(s.value, s.metric, s.benchmark) for s in found] == expected


def test_a_metric_of_two_names_goes_by_the_size_of_the_number() -> None:
    read = sentences("We improve bpc / perplexity from 1.06 to 0.99 on enwiki8 and to 18.3 on WikiText-103.")
    found = {(score.value, score.metric) for score in find_scores(read, [True])}
    assert {(0.99, "bpc"), (18.3, "perplexity")} <= found
