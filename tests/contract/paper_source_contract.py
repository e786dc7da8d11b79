"""What every paper source promises; inherit it, say how to build the source and what its service holds."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from tests.fakes.clock import FrozenClock
from tests.fakes.opener import loopback
from tests.fakes.papers_server import FakeServices, Reply, served

from auto_benchmark.research.log import citation_in, cited
from auto_benchmark.sources.papers.source import PaperSource, SourceFailed, SourceFault
from auto_benchmark.sources.papers.web import Pace, Web


class PaperSourceContract:
    """One suite for all sources. ``holds(services, n)`` puts n papers into the service."""

    path: str
    """Prefix of the path that the source asks."""

    def holds(self, services: FakeServices, n: int) -> None:
        raise NotImplementedError

    def source(self, web: Web, url: str) -> PaperSource:
        raise NotImplementedError

    @pytest.fixture
    def services(self) -> Iterator[FakeServices]:
        with served(FakeServices()) as services:
            yield services

    @pytest.fixture
    def clock(self) -> FrozenClock:
        return FrozenClock()

    @pytest.fixture
    def web(self, clock: FrozenClock) -> Web:
        pace = Pace(clock=clock, sleep=clock.sleep)
        return Web(pace, contact="team@example.test", opener=loopback)

    def test_everything_is_read_and_nothing_twice(self, services: FakeServices, web: Web) -> None:
        self.holds(services, 7)
        source = self.source(web, services.url)
        first = source.fetch({})
        assert len(first.papers) == 7
        assert len({paper.id for paper in first.papers}) == 7
        assert not first.incomplete
        sources = [cited(paper.id) for paper in first.papers]
        assert [citation_in(source) for source in sources] == sources, "a hypothesis of it is recognised as a paper's"
        again = source.fetch(first.mark)
        assert {p.id for p in again.papers} <= {first.papers[-1].id}  # the newest may come again, nothing older

    def test_what_is_new_comes_with_the_next_run(self, services: FakeServices, web: Web) -> None:
        self.holds(services, 4)
        source = self.source(web, services.url)
        before = source.fetch({})
        self.holds(services, 6)
        new = {p.id for p in source.fetch(before.mark).papers} - {p.id for p in before.papers}
        assert len(new) == 2

    def test_an_empty_mark_reads_from_the_beginning(self, services: FakeServices, web: Web) -> None:
        self.holds(services, 5)
        source = self.source(web, services.url)
        first = source.fetch({})
        assert source.fetch({}).papers == first.papers

    def test_retry_after_is_honoured(self, services: FakeServices, web: Web, clock: FrozenClock) -> None:
        self.holds(services, 3)
        services.faults[self.path] = [(503, {"Retry-After": "30"}, b""), (429, {}, b"slow down")]
        assert len(self.source(web, services.url).fetch({}).papers) == 3
        assert clock.slept[0] >= 30

    def test_a_limit_that_lasts_ends_as_rate_limited(self, services: FakeServices, web: Web) -> None:
        self.holds(services, 3)
        services.faults[self.path] = [(429, {}, b"")] * 50
        with pytest.raises(SourceFailed) as failed:
            self.source(web, services.url).fetch({})
        assert failed.value.fault is SourceFault.RATE_LIMITED

    def test_a_server_that_asks_for_hours_is_left_for_the_next_run(
        self, services: FakeServices, web: Web, clock: FrozenClock
    ) -> None:
        self.holds(services, 3)
        services.faults[self.path] = [(503, {"Retry-After": "7200"}, b"")] * 50
        with pytest.raises(SourceFailed):
            self.source(web, services.url).fetch({})
        assert sum(clock.slept) < 3600

    @pytest.mark.parametrize(
        "reply",
        [(404, {}, b"gone"), (200, {}, b""), (200, {"Content-Type": "text/html"}, b"<html>Just a moment</html>")],
        ids=["missing", "empty", "challenge"],
    )
    def test_a_wrong_answer_is_a_fault_and_never_no_papers(
        self, services: FakeServices, web: Web, reply: Reply
    ) -> None:
        services.faults[self.path] = [reply] * 50
        with pytest.raises(SourceFailed):
            self.source(web, services.url).fetch({})

    def test_a_dead_host_is_a_fault(self, web: Web) -> None:
        with pytest.raises(SourceFailed) as failed:
            self.source(web, "http://127.0.0.1:9").fetch({})
        assert failed.value.fault is SourceFault.UNREACHABLE

    def test_operators_can_see_who_calls(self, services: FakeServices, web: Web) -> None:
        self.holds(services, 1)
        self.source(web, services.url).fetch({})
        assert all("auto-benchmark" in agent and "team@example.test" in agent for agent in services.agents)

    def test_calls_to_one_host_keep_their_distance(
        self, services: FakeServices, web: Web, clock: FrozenClock
    ) -> None:
        self.holds(services, 3)
        source = self.source(web, services.url)
        web.pace.default = 3.0
        source.fetch({})
        source.fetch({})
        assert sum(clock.slept) >= 3.0 * (len(services.asked) - 1)
