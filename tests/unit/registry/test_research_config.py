"""Whether a project reads any papers."""

from __future__ import annotations

import pytest

from auto_benchmark.registry.research_config import ResearchConfig, ResearchSources


@pytest.mark.parametrize("name", ResearchSources.model_fields)
def test_every_kind_of_source_alone_is_one(name: str) -> None:
    assert ResearchConfig.model_validate({"research_sources": {name: ["anything"]}}).declares_a_source


def test_a_competitors_report_is_one_and_an_empty_file_has_none() -> None:
    assert ResearchConfig.model_validate({"competitor_reports": {"Rival": None}}).declares_a_source
    assert not ResearchConfig().declares_a_source
