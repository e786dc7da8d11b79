"""Three reports in the style of what competitors publish, and what of them is not ours."""

from __future__ import annotations

from pathlib import Path

import pytest

from auto_benchmark import documents
from auto_benchmark.registry.technique_catalog import TechniqueCatalog
from auto_benchmark.research.competitor_diff import details_of, differences
from auto_benchmark.research.techniques import TechniqueMatcher

MATCHER = TechniqueMatcher(documents.load(TechniqueCatalog, Path("include/config/technique_catalog.yaml")))
MODEL_REPORT = """
Our recall model is a decoder with 24 layers, a hidden size of 2,048 and 16 attention heads (1.3B parameters).
It uses rotary position embeddings, RMSNorm and SwiGLU. The context length is 32,768 tokens.
We train with AdamW, a peak learning rate of 3e-4, weight decay of 0.1 and a batch size of 512, in bf16.
The learning rate follows a cosine schedule with 2,000 warmup steps. Dropout of 0.1 is used throughout.
The model is trained on 300B tokens. Post-training uses direct preference optimization.
"""
RETRIEVAL_REPORT = """
Memories are split into chunks of 256 tokens. We retrieve with BM25 and bge-large embeddings, joined by reciprocal
rank fusion, top-k of 20.
A cross-encoder re-ranks the candidates. Queries go through query expansion. Old memories fade by
a recency decay. Answers are checked with self-consistency. We trained for 3 epochs.
"""
README = """
# recall-kit

Small and fast. `pip install recall-kit`.

| setting | value |
|---|---|
| layers | 12 |
| batch size | 64 |
| learning rate | 5e-5 |

Optimizer: Adam. Tokenizer: SentencePiece. Supports int8 inference through quantization.
"""
WANTED = {
    "model": (MODEL_REPORT, {
        ("layers", "24"), ("hidden size", "2,048"), ("attention heads", "16"), ("parameters", "1.3B"),
        ("position encoding", "rotary"), ("normalisation", "RMSNorm"), ("activation", "SwiGLU"),
        ("context length", "32,768"), ("optimizer", "AdamW"), ("learning rate", "3e-4"), ("weight decay", "0.1"),
        ("batch size", "512"), ("precision", "bf16"), ("schedule", "cosine"), ("warmup", "2,000"), ("dropout", "0.1"),
        ("training tokens", "300B"), ("technique", "Direct preference optimisation"),
    }),
    "retrieval": (RETRIEVAL_REPORT, {
        ("chunk size", "256"), ("retriever", "BM25"), ("embedding model", "bge-large"), ("top-k", "20"),
        ("re-ranker", "cross-encoder"), ("epochs", "3"), ("technique", "Hybrid retrieval"),
        ("technique", "Query expansion"), ("technique", "Recency decay"), ("technique", "Self-consistency"),
    }),
    "readme": (README, {
        ("layers", "12"), ("batch size", "64"), ("learning rate", "5e-5"), ("optimizer", "Adam"),
        ("tokenizer", "SentencePiece"), ("precision", "int8"), ("technique", "Quantisation"),
    }),
}  # fmt: skip


@pytest.mark.parametrize("name", WANTED)
def test_details_are_found_and_quoted(name: str) -> None:
    text, wanted = WANTED[name]
    details = details_of(name, text, MATCHER)
    found = {(d.name, d.value) for d in details}
    assert wanted <= found, wanted - found
    assert all(d.sentence in text for d in details)


def test_what_we_have_is_no_difference_and_what_we_can_try_comes_first() -> None:
    details = details_of("r", RETRIEVAL_REPORT, MATCHER)
    ours = {"retriever": "BM25 with learned query expansion", "top_k": 20}
    mapping = {"recency_decay": {"recency_decay": 0.3}, "hybrid_retrieval": {"lexical_weight": 0.5}}
    found = differences(details, ours, mapping)
    names = [(d.detail.name, d.detail.value) for d in found]
    assert ("top-k", "20") not in names
    assert ("retriever", "BM25") not in names
    assert {d.detail.value for d in found if d.patch} == {"Recency decay", "Hybrid retrieval"}
    assert [d.patch is not None for d in found] == sorted((d.patch is not None for d in found), reverse=True)
    assert ("chunk size", "256") in names


def test_a_page_without_details_yields_nothing() -> None:
    assert details_of("News", "We are happy to announce our new office.", MATCHER) == []
