"""All paper sources under one contract, and what each has of its own."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any

import pytest
from tests.contract.paper_source_contract import PaperSourceContract
from tests.fakes import papers_server as fake
from tests.fakes.clock import FrozenClock
from tests.fakes.opener import loopback
from tests.fakes.papers_server import FakeServices

from auto_benchmark.http.opener import http_opener
from auto_benchmark.private_hosts import ALL_PRIVATE
from auto_benchmark.registry.research_config import ResearchSources
from auto_benchmark.sources.papers.arxiv import ArxivQuery, identifier, search_expression
from auto_benchmark.sources.papers.blogs import Blog
from auto_benchmark.sources.papers.citations import Citations, citation_counts
from auto_benchmark.sources.papers.collect import Endpoints, collect, sources_of
from auto_benchmark.sources.papers.openalex import OpenAlexCitations, abstract_of
from auto_benchmark.sources.papers.openreview import Venue, venue_id
from auto_benchmark.sources.papers.source import SourceFailed, SourceFault
from auto_benchmark.sources.papers.web import Pace, Web

TITLE = "A memory of moderate length, number"


def entries(n: int) -> list[dict[str, Any]]:
    return [{"id": f"2401.{i:05d}v1", "title": f"{TITLE} {i}", "date": f"2024-01-{i + 1:02d}"} for i in range(n)]


class TestArxiv(PaperSourceContract):
    path = "/api/query"

    def holds(self, services: FakeServices, n: int) -> None:
        services.routes["/api/query"] = fake.arxiv(entries(n))

    def source(self, web: Web, url: str) -> ArxivQuery:
        return ArxivQuery(web, "memory networks", url, page_size=2)

    def test_an_empty_page_in_the_middle_is_asked_again(
        self, services: FakeServices, web: Web, clock: FrozenClock
    ) -> None:
        self.holds(services, 6)
        full = services.routes["/api/query"]
        left = [1]

        def gap(path: str, query: Any) -> fake.Reply:
            if query["start"] == "2" and left.pop() if left else False:
                return 200, {}, fake.arxiv_page([], 6, 2)
            return full(path, query)

        services.routes["/api/query"] = gap
        batch = self.source(web, services.url).fetch({})
        assert len(batch.papers) == 6
        assert not batch.incomplete

    def test_a_page_that_stays_empty_loses_nothing(self, services: FakeServices, web: Web) -> None:
        self.holds(services, 6)
        full = services.routes["/api/query"]
        services.routes["/api/query"] = lambda path, query: (
            (200, {}, fake.arxiv_page([], 6, 2)) if query["start"] == "2" else full(path, query)
        )
        source = self.source(web, services.url)
        broken = source.fetch({})
        assert (len(broken.papers), broken.incomplete, broken.mark["next_start"]) == (2, True, 2)
        services.routes["/api/query"] = full
        rest = source.fetch(broken.mark)
        assert len(rest.papers) == 4
        assert {p.id for p in (*broken.papers, *rest.papers)} == {f"arxiv:2401.{i:05d}" for i in range(6)}
        assert rest.mark["since"].startswith("2024-01-06")

    def test_a_paper_that_is_announced_late_is_not_lost(self, services: FakeServices, web: Web) -> None:
        """Submitted before the newest paper of the last run, held back by moderation, announced after it."""
        self.holds(services, 6)
        source = self.source(web, services.url)
        first = source.fetch({})
        late = {"id": "2401.09999v1", "title": "A memory that was held back", "date": "2024-01-02"}
        services.routes["/api/query"] = fake.arxiv(sorted([*entries(7), late], key=lambda e: e["date"]))
        second = source.fetch(first.mark)
        assert {p.id for p in second.papers} == {"arxiv:2401.09999", "arxiv:2401.00006"}
        assert source.fetch(second.mark).papers == ()

    def test_a_new_version_of_a_recent_paper_comes_once(self, services: FakeServices, web: Web) -> None:
        self.holds(services, 3)
        source = self.source(web, services.url)
        first = source.fetch({})
        newer = [
            {**entries(3)[0], "id": "2401.00000v2", "summary": "This paper has been withdrawn."},
            *entries(3)[1:],
        ]
        services.routes["/api/query"] = fake.arxiv(newer)
        [again] = (second := source.fetch(first.mark)).papers
        assert (again.id, again.version, again.withdrawn) == ("arxiv:2401.00000", 2, True)
        assert source.fetch(second.mark).papers == ()

    def test_what_was_seen_is_forgotten_with_the_window(self, services: FakeServices, web: Web) -> None:
        services.routes["/api/query"] = fake.arxiv(
            [{"id": f"24{m:02d}.00001v1", "title": f"{TITLE} {m}", "date": f"2024-{m:02d}-01"} for m in range(1, 13)]
        )
        mark = self.source(web, services.url).fetch({}).mark
        assert set(mark["seen"]) == {"arxiv:2412.00001", "arxiv:2411.00001"}

    def test_a_total_that_fills_its_pages_ends_normally(self, services: FakeServices, web: Web) -> None:
        self.holds(services, 4)
        batch = self.source(web, services.url).fetch({})
        assert not batch.incomplete
        assert not batch.notes

    def test_a_fault_after_the_first_page_keeps_what_was_read(self, services: FakeServices, web: Web) -> None:
        self.holds(services, 6)
        full = services.routes["/api/query"]
        services.routes["/api/query"] = lambda path, query: (
            (500, {}, b"") if query["start"] == "4" else full(path, query)
        )
        batch = self.source(web, services.url).fetch({})
        assert (len(batch.papers), batch.incomplete, batch.mark["next_start"]) == (4, True, 4)

    def test_no_results_is_no_fault(self, services: FakeServices, web: Web) -> None:
        self.holds(services, 0)
        assert self.source(web, services.url).fetch({}).papers == ()

    def test_an_error_entry_is_a_fault(self, services: FakeServices, web: Web) -> None:
        page = fake.arxiv_page([{"id": "x", "title": "Error", "date": "2024-01-01", "summary": "bad id"}], 1, 0)
        error = page.replace(b"http://arxiv.org/abs/x", b"http://arxiv.org/api/errors#incorrect_id_format")
        services.routes["/api/query"] = fake.static(error)
        with pytest.raises(SourceFailed, match="bad id"):
            self.source(web, services.url).fetch({})

    def test_versions_are_one_paper_and_withdrawals_are_seen(self, services: FakeServices, web: Web) -> None:
        told = {
            "id": "2401.00001v3",
            "title": TITLE,
            "date": "2024-01-01",
            "summary": "This paper has been withdrawn.",
        }
        services.routes["/api/query"] = fake.arxiv([told])
        [paper] = self.source(web, services.url).fetch({}).papers
        assert (paper.id, paper.version, paper.withdrawn) == ("arxiv:2401.00001", 3, True)

    @pytest.mark.parametrize(
        ("entry", "known"),
        [
            ("http://arxiv.org/abs/2503.05378v2", ("2503.05378", 2)),
            ("http://arxiv.org/abs/hep-th/9901001v1", ("hep-th/9901001", 1)),
            ("http://arxiv.org/abs/math.GT/0309136", ("math.GT/0309136", 1)),
            ("https://arxiv.org/api/errors#1", None),
        ],
    )
    def test_identifiers(self, entry: str, known: tuple[str, int] | None) -> None:
        assert identifier(entry) == known

    def test_words_become_an_expression(self) -> None:
        assert search_expression("long context transformers 2026") == "all:long AND all:context AND all:transformers"
        assert search_expression("cat:cs.CL AND abs:memory") == "cat:cs.CL AND abs:memory"
        since = search_expression("memory", "2024-01-02T03:04:05+00:00")
        assert since == "(all:memory) AND submittedDate:[202312030304 TO 299912312359]"  # thirty days before


def notes(n: int, *, wrapped: bool) -> list[dict[str, Any]]:
    def content(i: int) -> dict[str, Any]:
        plain = {"title": f"{TITLE} {i}", "abstract": "An abstract.", "venue": "ICLR 2026"}
        return {k: {"value": v} for k, v in plain.items()} if wrapped else plain

    return [{"id": f"n{i}", "forum": f"n{i}", "cdate": 1000 + i, "content": content(i)} for i in range(n)]


class TestOpenReview(PaperSourceContract):
    path = "/notes"
    wrapped = True

    def holds(self, services: FakeServices, n: int) -> None:
        services.routes["/notes"] = fake.openreview(notes(n, wrapped=self.wrapped))

    def source(self, web: Web, url: str) -> Venue:
        return Venue(web, "ICLR 2026", url, url, page_size=3)

    def test_a_note_that_becomes_public_late_is_not_lost(self, services: FakeServices, web: Web) -> None:
        self.holds(services, 4)
        source = self.source(web, services.url)
        first = source.fetch({})
        late = {**notes(1, wrapped=True)[0], "id": "late", "forum": "late"}
        services.routes["/notes"] = fake.openreview([late, *notes(5, wrapped=True)])
        second = source.fetch(first.mark)
        assert {p.id for p in second.papers} == {"openreview:late", f"openreview:{notes(5, wrapped=True)[4]['id']}"}
        assert source.fetch(second.mark).papers == ()

    def test_withdrawn_and_untitled_notes(self, services: FakeServices, web: Web) -> None:
        told = notes(2, wrapped=True)
        told[0]["content"]["venue"] = {"value": "ICLR 2026 Conference Withdrawn Submission"}
        told.append({"id": "n9", "cdate": 2000, "content": {"title": None}})
        services.routes["/notes"] = fake.openreview(told)
        batch = self.source(web, services.url).fetch({})
        assert [p.withdrawn for p in batch.papers] == [True, False]
        assert any("without id or title" in note for note in batch.notes)

    def test_an_old_venue_is_found_on_the_first_interface(self, services: FakeServices, web: Web) -> None:
        services.routes["/v1/notes"] = fake.openreview(notes(2, wrapped=False))
        services.routes["/v2/notes"] = fake.openreview([])
        source = Venue(web, "ICLR 2021", services.url + "/v2", services.url + "/v1")
        assert len(source.fetch({}).papers) == 2

    @pytest.mark.parametrize("held", [5_000, 4_000])
    @pytest.mark.parametrize("empty", ["/v1", "/v2"])
    def test_a_venue_larger_than_a_run_comes_over_several(
        self, services: FakeServices, web: Web, held: int, empty: str
    ) -> None:
        """All notes lie within the overlap; the venue may be known to either interface, and end with a run."""
        told = notes(held, wrapped=self.wrapped)
        for base in ("/v1", "/v2"):
            services.routes[f"{base}/notes"] = fake.openreview([] if base == empty else told)
        source = Venue(web, "ICLR 2026", services.url + "/v2", services.url + "/v1", page_size=1_000)
        runs, mark = [], {}
        for _ in range(4):
            batch = source.fetch(mark)
            runs.append(batch)
            mark = dict(batch.mark)
        names = [paper.id for batch in runs for paper in batch.papers]
        assert names == [f"openreview:{note['id']}" for note in told]
        assert [len(batch.papers) for batch in runs] == [2_000, 2_000, held - 4_000, 0]
        assert [batch.incomplete for batch in runs[:3]] == [True, True, False]
        assert runs[2].mark["since_ms"] == told[-1]["cdate"] and runs[2].mark["next_start"] == 0

    def test_names_of_venues(self) -> None:
        assert venue_id("ICLR 2026") == "ICLR.cc/2026/Conference"
        assert venue_id("NeurIPS 2025") == "NeurIPS.cc/2025/Conference"
        assert venue_id("colmweb.org/COLM/2025/Conference") == "colmweb.org/COLM/2025/Conference"
        with pytest.raises(SourceFailed):
            venue_id("the usual one")


class TestOpenReviewV1(TestOpenReview):
    wrapped = False


def rss(n: int, extra: str = "") -> bytes:
    items = "".join(
        f"<item><title>{TITLE} {i}</title><link>https://blog.test/{i}</link><pubDate>Mon, {i + 1:02d} Jan 2024"
        f" 00:00:00 GMT</pubDate><description>&lt;p&gt;Text {i}&lt;/p&gt;</description></item>"
        for i in range(n)
    )
    return f"<rss version='2.0'><channel><title>x</title>{items}{extra}</channel></rss>".encode()


class TestBlogFeed(PaperSourceContract):
    path = "/feed"

    def holds(self, services: FakeServices, n: int) -> None:
        services.routes["/feed"] = fake.static(rss(n))

    def source(self, web: Web, url: str) -> Blog:
        return Blog(web, url + "/feed")

    def test_a_feed_without_items_is_no_fault(self, services: FakeServices, web: Web) -> None:
        self.holds(services, 0)
        assert self.source(web, services.url).fetch({}).papers == ()

    def test_a_feed_that_had_items_and_has_none_is_suspect(self, services: FakeServices, web: Web) -> None:
        self.holds(services, 3)
        source = self.source(web, services.url)
        mark = source.fetch({}).mark
        self.holds(services, 0)
        with pytest.raises(SourceFailed) as failed:
            source.fetch(mark)
        assert failed.value.fault is SourceFault.SUSPECT

    @pytest.mark.parametrize("body", [b"", b"<html><body>Just a moment...</body></html>", b"{}", b"\x00\xff"])
    def test_what_is_no_feed(self, services: FakeServices, web: Web, body: bytes) -> None:
        services.routes["/feed"] = fake.static(body, "text/html")
        with pytest.raises(SourceFailed) as failed:
            self.source(web, services.url).fetch({})
        assert failed.value.fault is SourceFault.NOT_A_FEED

    def test_a_stray_entity_is_read_and_noted(self, services: FakeServices, web: Web) -> None:
        body = (
            b"<rss version='2.0'><channel><item><title>5&nbsp;% gain</title><link>https://e.test/1</link></item>"
            b"</channel></rss>"
        )
        services.routes["/feed"] = fake.static(body)
        batch = self.source(web, services.url).fetch({})
        assert [p.title for p in batch.papers] == ["5 % gain"]
        assert batch.notes

    def test_a_changed_guid_or_tracking_parameter_is_not_a_new_entry(self, services: FakeServices, web: Web) -> None:
        def feed(guid: str, query: str) -> bytes:
            return (
                f"<rss version='2.0'><channel><item><title>{TITLE}</title><guid>{guid}</guid>"
                f"<link>http://www.blog.test/post/{query}</link></item></channel></rss>"
            ).encode()

        services.routes["/feed"] = fake.static(feed("1", ""))
        source = self.source(web, services.url)
        mark = source.fetch({}).mark
        services.routes["/feed"] = fake.static(feed("2", "?utm_source=rss"))
        assert source.fetch(mark).papers == ()

    def test_hostile_entries_are_text(self, services: FakeServices, web: Web) -> None:
        extra = (
            "<item><title>&lt;script&gt;alert(1)&lt;/script&gt;Release of a thing</title>"
            "<link>javascript:alert(1)</link><pubDate>Mon, 99 Foo 99999</pubDate></item>"
        )
        services.routes["/feed"] = fake.static(rss(0, extra))
        [paper] = self.source(web, services.url).fetch({}).papers
        assert "<" not in paper.title
        assert paper.url is None
        assert paper.published is None


class TestBlogIndex(PaperSourceContract):
    path = "/research"

    def holds(self, services: FakeServices, n: int) -> None:
        links = "".join(f'<a href="/research/post-{i}">{TITLE} {i}</a>' for i in range(n))
        page = f"<html><nav><a href='/research/tag/x'>All posts about x</a></nav>{links}</html>".encode()

        def answer(path: str, _: Any) -> fake.Reply:
            body = page if path == "/research" else f"<article><p>Text of {path}</p></article>".encode()
            return 200, {"Content-Type": "text/html"}, body

        services.routes["/research"] = answer

    def source(self, web: Web, url: str) -> Blog:
        return Blog(web, url + "/research")

    def test_the_article_is_its_text(self, services: FakeServices, web: Web) -> None:
        self.holds(services, 1)
        [paper] = self.source(web, services.url).fetch({}).papers
        assert paper.full_text == "Text of /research/post-0"

    def test_a_dead_article_is_tried_again(self, services: FakeServices, web: Web) -> None:
        self.holds(services, 2)
        services.faults["/research/post-0"] = [(404, {}, b"")]
        source = self.source(web, services.url)
        first = source.fetch({})
        assert (len(first.papers), first.incomplete) == (1, True)
        assert len(source.fetch(first.mark).papers) == 1


def citing(n: int) -> list[dict[str, Any]]:
    return [{"citingPaper": {"paperId": f"p{i}", "title": f"{TITLE} {i}", "abstract": None}} for i in range(n)]


class TestCitations(PaperSourceContract):
    path = "/graph/v1/paper"

    def holds(self, services: FakeServices, n: int) -> None:
        services.routes["/graph/v1/paper"] = fake.citations(citing(n))

    def source(self, web: Web, url: str) -> Citations:
        return Citations(web, "1706.03762", url, page_size=3)

    def test_nulls_are_left_out_and_counted(self, services: FakeServices, web: Web) -> None:
        rows = [*citing(2), {"citingPaper": {"paperId": None, "title": None}}, {"citingPaper": None}, None]
        services.routes["/graph/v1/paper"] = fake.citations(rows)
        batch = self.source(web, services.url).fetch({})
        assert len(batch.papers) == 2
        assert any("3 citing papers" in note for note in batch.notes)

    def test_arxiv_papers_keep_their_arxiv_identity(self, services: FakeServices, web: Web) -> None:
        row = {
            "citingPaper": {"paperId": "p", "title": TITLE, "externalIds": {"ArXiv": "2401.00001", "DOI": "10.1/x"}}
        }
        services.routes["/graph/v1/paper"] = fake.citations([row])
        [paper] = self.source(web, services.url).fetch({}).papers
        assert (paper.id, paper.doi) == ("arxiv:2401.00001", "10.1/x")

    def test_openalex_answers_where_semantic_scholar_fails(self, services: FakeServices, web: Web) -> None:
        services.faults["/graph"] = [(500, {}, b"")] * 50
        work = {"id": "https://openalex.org/W1", "title": TITLE, "abstract_inverted_index": {"helps": [1], "It": [0]}}
        services.routes["/works/doi:"] = lambda _p, _q: fake.json_reply(work)
        services.routes["/works"] = lambda _p, _q: fake.json_reply({"results": [work], "meta": {"next_cursor": None}})
        source = Citations(web, "1706.03762", services.url, OpenAlexCitations(web, "1706.03762", services.url))
        batch = source.fetch({})
        assert [p.abstract for p in batch.papers] == ["It helps"]
        assert any("OpenAlex answered instead" in note for note in batch.notes)


def test_batch_answers_are_joined_by_position() -> None:
    asked = ["ARXIV:1706.03762", "ARXIV:9999.99999", "ARXIV:1810.04805"]
    answer = [
        {"paperId": "p1", "citationCount": 90000, "citations": []},
        None,
        {"paperId": "p3", "citationCount": 70000},
    ]
    found = citation_counts(asked, answer, {})
    assert found.counts == {"ARXIV:1706.03762": 90000, "ARXIV:1810.04805": 70000}


def test_a_count_that_falls_is_flagged_and_not_written_over() -> None:
    found = citation_counts(
        ["a", "b", "c"],
        [{"citationCount": 0}, {"citationCount": 70}, {"citationCount": 85}],
        {"a": 5, "b": 100, "c": 100},
    )
    assert found.counts == {"c": 85}
    assert set(found.suspect) == {"a", "b"}
    with pytest.raises(SourceFailed):
        citation_counts(["a", "b"], [{"citationCount": 1}], {})


def test_an_inverted_index_is_put_in_order() -> None:
    assert abstract_of({"b": [1, 3], "a": [0, 2]}) == "a b a b"
    assert abstract_of(None) == ""
    assert abstract_of({"a": "x"}) == ""


def test_one_dead_source_does_not_stop_the_others() -> None:
    clock = FrozenClock()
    with fake.served(FakeServices()) as services:
        services.routes["/api/query"] = fake.static(b"", "text/html")
        services.routes["/feed"] = fake.static(rss(2))
        web = Web(Pace(clock=clock, sleep=clock.sleep), opener=loopback)
        declared = ResearchSources(
            arxiv_queries=["memory"], venues=["nonsense"], competitor_blogs=[services.url + "/feed"]
        )
        endpoints = Endpoints(services.url, services.url, services.url, services.url, services.url)
        said: list[str] = []
        found = collect(sources_of(declared, web, endpoints), {}, said.append)
    assert [c.fault for c in found] == [SourceFault.MALFORMED, SourceFault.NOT_FOUND, None]
    assert found[2].batch is not None
    assert len(found[2].batch.papers) == 2
    assert len(said) == 3


def test_dates_carry_their_timezone() -> None:
    with fake.served(FakeServices()) as services:
        services.routes["/feed"] = fake.static(rss(1))
        [paper] = Blog(Web(opener=http_opener(ALL_PRIVATE)), services.url + "/feed").fetch({}).papers
    assert paper.published == datetime(2024, 1, 1, tzinfo=UTC)


def test_private_addresses_are_refused_by_default() -> None:
    with fake.served(FakeServices()) as services:
        services.routes["/feed"] = fake.static(rss(1))
        with pytest.raises(SourceFailed, match="private address"):
            Blog(Web(), services.url + "/feed").fetch({})
        assert services.asked == []
