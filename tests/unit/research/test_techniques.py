"""Techniques: every name a paper may use, and whether the authors credit it."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from tests.growth import assert_costs_at_most

from auto_benchmark import documents
from auto_benchmark.registry.technique_catalog import Effort, Technique, TechniqueCatalog, TechniqueKind
from auto_benchmark.research.credit import credited
from auto_benchmark.research.techniques import TechniqueMatcher
from auto_benchmark.research.text import sentences, title_sentence
from auto_benchmark.research.voice import own_voice

CATALOG = documents.load(TechniqueCatalog, Path("include/config/technique_catalog.yaml"))
MATCHER = TechniqueMatcher(CATALOG)


def found(text: str, title: str = "A title") -> set[str | None]:
    head, read = title_sentence(title), sentences(text)
    return {t.id for t in credited(head, read, own_voice(head, read), MATCHER.mentions(head, read))}


def proposed(text: str) -> list[str]:
    head, read = title_sentence("A title"), sentences(text)
    own = own_voice(head, read)
    return [t.name for t in credited(head, read, own, MATCHER.mentions(head, read)) if t.id is None]


def test_the_catalogue_covers_the_field() -> None:
    assert len(CATALOG.techniques) >= 120
    kinds = {kind: sum(t.kind is kind for t in CATALOG.techniques) for kind in TechniqueKind}
    assert min(kinds.values()) >= 15
    assert list(CATALOG.problems()) == []


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("We use knowledge distillation.", "knowledge_distillation"),
        ("We train our model with a distillation loss.", "knowledge_distillation"),
        ("We apply post-training quantisation.", "quantization"),
        ("We fine-tune it with LoRA.", "low_rank_adaptation"),
        ("Our method combines RAG with re-ranking.", "retrieval_augmentation"),
        ("Our method combines RAG with re-ranking.", "reranking"),
        ("We introduce a mixture-of-experts layer.", "mixture_of_experts"),
        ("We employ MoEs.", "mixture_of_experts"),
        ("We propose hierarchical summaries of past sessions.", "hierarchical_summaries"),
        ("Our system retrieves with query expansion.", "query_expansion"),
        ("Our ranker uses a recency decay for the retrieved memories.", "recency_decay"),
        ("We augment training data with back-translation.", "data_augmentation"),
        ("We use chain-of-thought prompting.", "chain_of_thought"),
    ],
)
def test_names_in_all_their_forms(text: str, expected: str) -> None:
    assert expected in {m.technique.id for m in MATCHER.mentions(title_sentence(""), sentences(text))}
    if text != "We employ MoEs.":  # three words are too few to tell what an acronym does
        assert expected in found(text)


@pytest.mark.parametrize(
    ("text", "mentioned"),
    [
        ("Existing methods rely on knowledge distillation. We propose a new loss.", "knowledge_distillation"),
        ("Unlike knowledge distillation, our method needs no teacher.", "knowledge_distillation"),
        ("We propose Foo. Foo outperforms retrieval-augmented generation.", "retrieval_augmentation"),
        ("We propose Foo, which works without fine-grained query expansion.", "query_expansion"),
        ("We study the limitations of chain-of-thought prompting.", "chain_of_thought"),
        ("Reinforcement learning has become popular. We present a dataset.", "reinforcement_learning"),
        ("We propose a remedy for errors of beam search.", "beam_search"),
    ],
)
def test_mentions_are_not_credit(text: str, mentioned: str) -> None:
    assert mentioned not in found(text)


def test_an_acronym_that_the_text_defines_is_known_from_there_on() -> None:
    text = "Knowledge distillation (KD) is common. We propose a variant. Our method applies KD to every layer."
    assert "knowledge_distillation" in found(text)


def test_capitals_are_read_as_written() -> None:
    assert "retrieval_augmentation" not in found("We drag a rag over the table with our robot.")
    assert "reward_model" not in found("We use rm to delete files with our tool.")


def test_names_do_not_reach_across_punctuation() -> None:
    assert "query_expansion" not in found("We rewrite the query. Expansion of the universe is our topic.")


def test_new_names_are_proposed_with_their_words() -> None:
    assert proposed("We propose Cascade Memory Folding (CMF) for dialogue.") == ["Cascade Memory Folding"]
    assert proposed("We introduce a novel turn-aware gating loss.") == ["turn-aware gating loss"]
    assert proposed("We introduce MemoSet (MS), a benchmark. We present a new dataset of dialogues.") == []


def test_every_finding_quotes_its_sentence() -> None:
    text = "Background first. We use knowledge distillation. We apply query expansion."
    head, read = title_sentence(""), sentences(text)
    for technique in credited(head, read, own_voice(head, read), MATCHER.mentions(head, read)):
        assert technique.sentence in text


def test_reading_does_not_slow_down_as_the_catalogue_grows() -> None:
    grown = [*CATALOG.techniques]
    grown += [
        Technique(id=f"t{i}", name=f"zorb{i} flux method{i}", kind=TechniqueKind.DATA, effort=Effort.LOW)
        for i in range(5_000)
    ]
    large = TechniqueMatcher(TechniqueCatalog(techniques=grown))
    read = sentences("We use knowledge distillation and query expansion in our long-term memory system. " * 40)

    def cost_of(matcher: TechniqueMatcher) -> Callable[[], object]:
        return lambda: matcher.mentions(title_sentence(""), read)

    assert_costs_at_most(2.5, cost_of(large), than=cost_of(MATCHER))
