"""Three reports in the style of what competitors publish, and what of them is not ours."""

from __future__ import annotations

from pathlib import Path

import pytest
import yaml

from auto_benchmark import documents
from auto_benchmark.registry.technique_catalog import TechniqueCatalog
from auto_benchmark.research.competitor_diff import details_of, differences
from auto_benchmark.research.techniques import TechniqueMatcher

MATCHER = TechniqueMatcher(documents.load(TechniqueCatalog, Path("include/config/technique_catalog.yaml")))
REPORTS = {r["name"]: r for r in yaml.safe_load(Path("tests/competitor_reports.yaml").read_text())["reports"]}
RETRIEVAL_REPORT = REPORTS["retrieval"]["text"]


@pytest.mark.parametrize("name", REPORTS)
def test_details_are_found_and_quoted(name: str) -> None:
    text, wanted = REPORTS[name]["text"], {tuple(detail) for detail in REPORTS[name]["details"]}
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
