"""The toy project with the services that a research feed asks: real Postgres, answers over HTTP."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import pytest
import yaml
from tests.fakes import papers_server as fake
from tests.fakes.clock import FrozenClock
from tests.fakes.opener import loopback
from tests.fakes.papers_server import FakeServices

from auto_benchmark.db.engine import engine, session_factory
from auto_benchmark.flows import inline
from auto_benchmark.papers.feed import PaperFeed
from auto_benchmark.project.context import Context, make_context
from auto_benchmark.settings import Settings
from auto_benchmark.sources.connection import NamedConnections
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
def world(tmp_path: Path, postgres: Any, template_database: str, request: pytest.FixtureRequest) -> Iterator[World]:
    shutil.copytree(TOY, tmp_path / "toy")
    config = tmp_path / "toy" / "config"
    (config / "board.csv").write_text("system,accuracy\nLeader,0.90\nOurs,0.61\nLast,0.50\n")
    solution = tmp_path / "toy" / "solutions" / "toy" / "solution.yaml"
    declared = yaml.safe_load(solution.read_text())
    declared["techniques"] = {"self_consistency": {"reads": 6}}
    solution.write_text(yaml.safe_dump(declared))
    settings = Settings(
        home=tmp_path / "home",
        config=config,
        benchmarks=tmp_path / "toy" / "benchmarks",
        solutions=tmp_path / "toy" / "solutions",
    )
    name = f"research_{abs(hash(request.node.nodeid)) % 10**9}"
    bind = engine(postgres.create_database(name, template=template_database))
    clock, said = FrozenClock(), []
    with fake.served(FakeServices()) as services:
        sources = {"arxiv_queries": ["repeated reads"], "competitor_blogs": [services.url + "/feed"]}
        (config / "research_config.yaml").write_text(yaml.safe_dump({"research_sources": sources}))
        ctx = make_context(settings, session_factory(bind), NamedConnections({}), say=said.append)
        web = Web(Pace(clock=clock, sleep=clock.sleep), opener=loopback, attempts=2)
        yield World(replace(ctx, say=said.append), services, web, said)
    bind.dispose()
