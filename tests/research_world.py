"""The toy project with the services that a research feed asks: real Postgres, answers over HTTP."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
import yaml
from tests.fakes import papers_server as fake
from tests.fakes.clock import FrozenClock
from tests.fakes.opener import loopback
from tests.fakes.papers_server import FakeServices
from tests.toy_project import ToyFiles, toy_context, toy_database

from auto_benchmark.flows import inline
from auto_benchmark.papers.feed import PaperFeed
from auto_benchmark.project.context import Context
from auto_benchmark.sources.papers.collect import Endpoints
from auto_benchmark.sources.papers.web import Pace, Web

TOY = Path(__file__).parent / "toy"
PAPER = {
    "id": "2602.00001v1",
    "title": "Reading more than once: voting over repeated reads",
    "date": "2026-02-10",
    "summary": "We propose self-consistency over repeated reads. "
    "It improves accuracy by 4.2% on ToyBoard over prior SOTA.",
}
UNMAPPED = {
    "id": "2602.00002v1",
    "title": "Linear attention for everything that is long enough",
    "date": "2026-02-11",
    "summary": "We propose linear attention. It improves accuracy by 6% on ToyBoard.",
}
ELSEWHERE = {"id": "2602.00003v1", "title": "Soil moisture in the long dry season", "date": "2026-02-12"}


@dataclass
class World:
    """One toy project with the services around it."""

    ctx: Context
    services: FakeServices
    web: Web
    said: list[str]

    def publish(self, *entries: dict[str, Any]) -> None:
        self.services.routes["/api/query"] = fake.arxiv(list(entries))

    @property
    def feed(self) -> PaperFeed:
        return PaperFeed(self.web, Endpoints(*[self.services.url] * 5))

    def ingest(self) -> dict[str, Any]:
        url = self.services.url
        return inline.read_papers(self.ctx, web=self.web, endpoints=Endpoints(url, url, url, url, url))


@pytest.fixture
def world(tmp_path: Path, postgres: Any, template_database: str) -> Iterator[World]:
    files, url = ToyFiles(tmp_path), toy_database(postgres, template_database)
    files.declare(techniques={"self_consistency": {"reads": 6}})
    clock, said = FrozenClock(), []
    with fake.served(FakeServices()) as services:
        sources = {"arxiv_queries": ["repeated reads"], "competitor_blogs": [services.url + "/feed"]}
        (files.config / "research_config.yaml").write_text(yaml.safe_dump({"research_sources": sources}))
        web = Web(Pace(clock=clock, sleep=clock.sleep), opener=loopback, attempts=2)
        with toy_context(files.settings(), url, say=said.append) as ctx:
            yield World(ctx, services, web, said)
