"""Citation counts: one service, the other where it fails, and counts that cannot be believed."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from tests.fakes import papers_server as fake
from tests.fakes.clock import FrozenClock
from tests.fakes.opener import loopback
from tests.fakes.papers_server import FakeServices

from auto_benchmark.research.impact import with_attention
from auto_benchmark.research.paper import Paper
from auto_benchmark.sources.papers.counts import counts_of
from auto_benchmark.sources.papers.web import Pace, Web

PAPERS = [Paper(f"arxiv:2401.0000{i}", f"Paper {i}", "", arxiv_id=f"2401.0000{i}") for i in range(3)]


@pytest.fixture
def services() -> Iterator[FakeServices]:
    with fake.served(FakeServices()) as services:
        yield services


@pytest.fixture
def web() -> Web:
    clock = FrozenClock()
    return Web(Pace(clock=clock, sleep=clock.sleep), opener=loopback, attempts=2)


def test_each_count_belongs_to_its_paper_and_unknown_ones_to_none(services: FakeServices, web: Web) -> None:
    for i, count in ((0, 7), (2, 9)):
        place = f"/graph/v1/paper/ARXIV:2401.0000{i}"
        services.routes[place] = lambda _p, _q, n=count: fake.json_reply({"citationCount": n, "citations": []})  # type: ignore[misc]
    counts, notes = counts_of(web, PAPERS, {}, services.url, services.url)
    assert (counts, notes) == ({"arxiv:2401.00000": 7, "arxiv:2401.00002": 9}, [])


def test_openalex_answers_for_the_rest(services: FakeServices, web: Web) -> None:
    services.faults["/graph"] = [(429, {}, b"")] * 2
    rows = [{"doi": f"https://doi.org/10.48550/arXiv.2401.0000{i}", "cited_by_count": i} for i in (2, 1)]
    services.routes["/works"] = lambda _p, _q: fake.json_reply({"results": rows})
    counts, [note] = counts_of(web, PAPERS, {}, services.url, services.url)
    assert counts == {"arxiv:2401.00001": 1, "arxiv:2401.00002": 2}
    assert "429" in note


def test_a_count_that_falls_is_told_and_left_out(services: FakeServices, web: Web) -> None:
    services.routes["/graph"] = lambda _p, _q: fake.json_reply({"citationCount": 0})
    counts, notes = counts_of(web, PAPERS[:1], {"arxiv:2401.00000": 90}, services.url, services.url)
    assert counts == {}
    assert notes == ["citation count of arxiv:2401.00000 fell from 90 to 0; the old one stays"]


def test_attention_orders_equal_claims_and_lifts_none_over_the_next() -> None:
    assert with_attention(2.0, None, 1.0) == with_attention(2.0, 0, 1.0) == 2.0
    assert with_attention(2.0, 1, 1.0) == 2.1
    assert with_attention(2.0, 10**9, 0.0) == 2.5
    assert with_attention(1.0, 10**9, 1.0) < 2.0


def test_a_host_that_is_dead_is_asked_once_a_run() -> None:
    clock = FrozenClock()
    web = Web(Pace(clock=clock, sleep=clock.sleep), opener=loopback, attempts=2, given_up={})
    counts_of(web, PAPERS, {}, "http://127.0.0.1:9", "http://127.0.0.1:9")
    assert web.calls == 2
