"""A technique as a hypothesis: claim, source, patch, and a gain that past claims have taught."""

from __future__ import annotations

from dataclasses import replace

import pytest

from auto_benchmark.hypotheses.from_paper import HypothesisTarget, brief_of, estimated_gain, hypothesis_of
from auto_benchmark.registry.technique_catalog import Effort, TechniqueKind
from auto_benchmark.research.applicability import Applicability
from auto_benchmark.research.assessment import AssessedTechnique, Assessment, Disposition
from auto_benchmark.research.discount import Discount
from auto_benchmark.research.impact import Impact
from auto_benchmark.research.paper import Paper
from auto_benchmark.research.relevance import Relevance

TECHNIQUE = AssessedTechnique(
    "query_expansion", "Query expansion", "query expansion", TechniqueKind.INFERENCE, "We use query expansion.",
    Applicability.CONFIGURATION, Effort.LOW, Impact.HIGH, 4.2, 3.0, {"expansion_terms": 10},
)  # fmt: skip
READ = Assessment(
    Paper("arxiv:2602.01234", "A title", ""), Relevance(True, "", ("MemoryBench",)), (TECHNIQUE,), (),
    Disposition.HYPOTHESIS, "",
)  # fmt: skip
TARGET = HypothesisTarget("MemoryBench", "accuracy", 0.823, True, 0.038, True)
HALF = Discount(0.5, "half of it held up")


def test_it_states_what_the_mission_wants() -> None:
    made = hypothesis_of(READ, TECHNIQUE, TARGET, HALF, base={"expansion_terms": 3, "top_k": 5}, config_hash="h")
    assert made is not None
    assert made.claim == "Query expansion will improve MemoryBench accuracy from 0.823 to ≥0.844"
    assert made.source == "arXiv:2602.01234 + gap analysis (gap to #1 = 0.038)"
    assert made.implementation.params == {"expansion_terms": 10, "top_k": 5}
    assert made.implementation.estimated_gain == pytest.approx(0.021)
    assert made.priority_score == pytest.approx(21.0)
    assert "We use query expansion." in made.reason
    assert "half of it held up" in made.reason


def test_lower_is_better_and_other_scales() -> None:
    target = replace(TARGET, metric="error", score=12.0, higher_is_better=False, is_share=False)
    made = hypothesis_of(READ, TECHNIQUE, target, HALF, base={}, config_hash="h")
    assert made is not None
    assert "from 12 to ≤9.9" in made.claim


def test_what_the_base_already_has_is_not_asked_again() -> None:
    assert hypothesis_of(READ, TECHNIQUE, TARGET, HALF, base={"expansion_terms": 10}, config_hash="h") is None
    assert hypothesis_of(READ, replace(TECHNIQUE, patch=None), TARGET, HALF, base={}, config_hash="h") is None


def test_no_claim_and_absurd_claims_are_bounded() -> None:
    assert estimated_gain(replace(TECHNIQUE, claimed_percent=None), TARGET, HALF) == pytest.approx(0.0025)
    assert estimated_gain(replace(TECHNIQUE, claimed_percent=900.0), TARGET, HALF) == pytest.approx(0.1)


def test_the_brief_quotes_the_paper_and_says_how_to_go_on() -> None:
    brief = brief_of(READ, {"retriever": "BM25"})
    assert '"We use query expansion."' in brief
    assert "retriever: BM25" in brief
    assert "solution.yaml" in brief
