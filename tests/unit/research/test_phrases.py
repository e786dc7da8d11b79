"""Names that no catalogue has: noun phrases behind words of proposal and use, and acronyms spelt out."""

from __future__ import annotations

import pytest

from auto_benchmark.research.acronyms import spelt_out
from auto_benchmark.research.phrases import modifiers, objects, technique_name, title_objects


@pytest.mark.parametrize(
    ("text", "names"),
    [
        (
            "It introduces vector-valued gating and a relaxed value replacement rule.",
            ["vector-valued gating", "relaxed value replacement rule"],
        ),
        (
            "We exploit position-sensitive average pooling, graph routing (GR) and span masking.",
            ["position-sensitive average pooling", "graph routing", "span masking"],
        ),
        ("We adopt the self-conditioning technique.", ["self-conditioning"]),
        ("Our model is trained via cross-view alignment.", ["cross-view alignment"]),
        (
            "We propose devices, including span-level pruning and query routing.",
            ["span-level pruning", "query routing"],
        ),
        ("We use large language models for machine translation.", []),
        ("We introduce a new evaluation of question answering.", []),
        ("We present comprehensive experiments and important findings.", []),
        ("We use providing important guidance.", []),
    ],
)  # fmt: skip
def test_objects_of_proposing_and_using(text: str, names: list[str]) -> None:
    assert list(objects(text)) == names


@pytest.mark.parametrize(
    ("title", "names"),
    [
        ("Talking skills via Inner Monologue", ["Inner Monologue"]),
        ("TAMER: Span-level Attention for parsing", ["Span-level Attention"]),
        ("Better parsing with Large Language Models", []),
        ("BENCH: Question Answering for robots", []),
    ],
)
def test_titles_name_their_means(title: str, names: list[str]) -> None:
    assert list(title_objects(title)) == names


@pytest.mark.parametrize(
    "phrase", ["machine translation", "language model", "deep network", "pruning", "method improves pruning"]
)
def test_tasks_and_plain_things_are_no_technique(phrase: str) -> None:
    assert technique_name(phrase.split()) is None


@pytest.mark.parametrize(
    ("words", "acronym", "name"),
    [
        ("called Multi-layer Embedding with Memory Network", "MEMEN", "Multi-layer Embedding with Memory Network"),
        ("method , Contrastive and Consistency Learning", "CCL", "Contrastive and Consistency Learning"),
        ("a Cascade Reward Sampling", "CARDS", "Cascade Reward Sampling"),
        ("the Pyramid Residual Module", "PRM", "Pyramid Residual Module"),
        ("nothing like that", "XYZ", None),
    ],
)
def test_acronyms_are_spelt_out(words: str, acronym: str, name: str | None) -> None:
    assert spelt_out(words.split(), acronym) == name


def test_a_hostile_sentence_costs_little() -> None:
    assert list(objects("using " * 5_000)) == []
    assert list(objects("we propose " + "very-long-word " * 5_000 + "pooling")) == []


@pytest.mark.parametrize(
    "word",
    ["Removing", "Dropping", "Excluding", "Disabling", "Omitting", "Ablating", "Using", "Adding", "Combining",
     "We drop", "and omits"],
)  # fmt: skip
def test_what_is_done_to_a_technique_is_no_part_of_its_name(word: str) -> None:
    before = f"{word} dense "
    assert before[modifiers(before) :] == "dense "
