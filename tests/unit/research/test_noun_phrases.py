"""Noun phrases: where a technique could be named; and acronyms spelt out."""

from __future__ import annotations

from pathlib import Path

import pytest

from auto_benchmark import documents
from auto_benchmark.registry.technique_catalog import TechniqueCatalog
from auto_benchmark.research.acronyms import spelt_out
from auto_benchmark.research.noun_phrases import noun_phrases, tokens_of
from auto_benchmark.research.techniques import TechniqueMatcher
from auto_benchmark.research.text import sentences, title_sentence

MATCHER = TechniqueMatcher(documents.load(TechniqueCatalog, Path("include/config/technique_catalog.yaml")))


def names(text: str) -> list[str]:
    (sentence,) = sentences(text)
    mentions = MATCHER.mentions(title_sentence(""), [sentence])
    return [phrase.name for phrase in noun_phrases(sentence.plain, tokens_of(sentence.plain, mentions))]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (
            "It introduces vector-valued gating and a relaxed value replacement rule.",
            ["vector-valued gating", "relaxed value replacement rule"],
        ),
        ("We add a novel, simple span-masking step to it.", ["span-masking step"]),
        ("We use mixture of experts.", ["mixture of experts"]),
        ("Unlike beam search, it is used here.", ["beam search"]),
        ("FoldMem decouples motion priors thereby.", ["motion priors"]),
        ("FoldMem frobs motion priors.", ["FoldMem frobs", "motion priors"]),
        ("It uses word statistics and news items.", ["word statistics", "news items"]),
        ('We use "hard negative mining" "adapter tuning".', ["hard negative mining", "adapter tuning"]),
        (
            "We use graph attention [3] and sparse pooling • memory folding.",
            ["graph attention", "sparse pooling", "memory folding"],
        ),
        ("We use contrastive pooling—an auxiliary objective.", ["contrastive pooling", "auxiliary objective"]),
        ("We use span masking – a trick – for it.", ["span masking"]),
        ("It has 4 5 6 graph attention 2 of them.", ["graph attention"]),
        ("It imposes redundant heads.", ["redundant heads"]),
        ("We use it.", []),
        ("", []),
    ],
)
def test_phrases_of_a_sentence(text: str, expected: list[str]) -> None:
    assert (names(text) if text else list(noun_phrases("", tokens_of("", [])))) == expected


def test_a_phrase_knows_the_technique_that_it_names() -> None:
    (sentence,) = sentences("We train with a knowledge distillation objective and frobnicated weather maps.")
    mentions = MATCHER.mentions(title_sentence(""), [sentence])
    found = list(noun_phrases(sentence.plain, tokens_of(sentence.plain, mentions)))
    assert [(p.name, p.mention.technique.id if p.mention else None) for p in found] == [
        ("knowledge distillation objective", "knowledge_distillation"),
        ("frobnicated weather maps", None),
    ]


def test_the_last_words_of_a_long_phrase_count() -> None:
    assert names("We build a big red shiny rotating cross-modal gating unit.") == [
        "shiny rotating cross-modal gating unit"
    ]


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


def test_what_is_too_long_for_a_word_parts_phrases() -> None:
    assert names("We propose " + "memory-" * 40 + "folding for recall.") == []
    assert names("We propose a memory-folding step for recall.") == ["memory-folding step"]
