"""Answers that the services really gave, served locally: everything is parsed, nothing lost, faults are told."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import yaml
from bs4 import BeautifulSoup
from lxml import etree
from tests.fakes import papers_server as fake
from tests.fakes.clock import FrozenClock
from tests.fakes.opener import loopback
from tests.fakes.papers_server import FakeServices, Reply

from auto_benchmark.sources.papers.arxiv import ArxivQuery
from auto_benchmark.sources.papers.blogs import Blog, parse_feed
from auto_benchmark.sources.papers.citations import Citations, citation_counts, paper_of
from auto_benchmark.sources.papers.openreview import Venue
from auto_benchmark.sources.papers.source import SourceFailed, SourceFault
from auto_benchmark.sources.papers.web import Pace, Web

CORPUS = Path(__file__).resolve().parents[2].parent / "shared" / "corpus" / "research"
pytestmark = pytest.mark.skipif(not CORPUS.is_dir(), reason="../shared/corpus/research is not here")


@pytest.fixture
def web() -> Web:
    clock = FrozenClock()
    return Web(Pace(clock=clock, sleep=clock.sleep), opener=loopback, attempts=2)


@pytest.fixture
def services() -> Iterator[FakeServices]:
    with fake.served(FakeServices()) as services:
        yield services


def cassette(name: str) -> list[tuple[str, int, bytes]]:
    """(path with query, status, body) of every call of one recording."""
    found = []
    for call in yaml.safe_load((CORPUS / "semanticscholar" / name).read_text())["interactions"]:
        reply = call["response"]
        body = reply.get("content") or reply["body"]["string"]
        status = reply.get("status_code") or reply["status"]["code"]
        path = "/" + call["request"]["uri"].split("/", 3)[3]
        found.append((path, status, body if isinstance(body, bytes) else body.encode()))
    return found


def test_arxiv_pages(services: FakeServices, web: Web) -> None:
    pages = {}
    for file in sorted((CORPUS / "arxiv").glob("q_*.json")):
        recorded = json.loads(file.read_text())
        pages[recorded["url"].split("start=")[1].split("&")[0]] = recorded["body"].encode()

    def answer(_: str, query: Any) -> Reply:
        return 200, {}, pages.get(query["start"], fake.arxiv_page([], 214881, int(query["start"])))

    services.routes["/api/query"] = answer
    for start, page in pages.items():
        source = ArxivQuery(
            web, "testing", services.url, page_size=page.count(b"<entry>"), limit=page.count(b"<entry>")
        )
        batch = source.fetch({"next_start": int(start)})
        assert len(batch.papers) == page.count(b"<entry>")
        assert batch.incomplete  # 214,881 results in all
        assert batch.mark["next_start"] == int(start) + len(batch.papers)
        assert not batch.notes
        assert all(p.title and p.abstract and p.published and p.arxiv_id for p in batch.papers)


def test_arxiv_without_results(services: FakeServices, web: Web) -> None:
    recorded = json.loads(next((CORPUS / "arxiv").glob("id_*.json")).read_text())
    services.routes["/api/query"] = fake.static(recorded["body"].encode())
    assert ArxivQuery(web, "id:0", services.url).fetch({}).papers == ()


def test_openreview_notes(services: FakeServices, web: Web) -> None:
    notes = [json.loads(file.read_text()) for file in sorted((CORPUS / "openreview").glob("*.json"))]
    services.routes["/notes"] = fake.openreview(sorted(notes, key=lambda n: n["cdate"]))
    batch = Venue(web, "ICLR 2026", services.url, services.url, page_size=5).fetch({})
    assert len(batch.papers) == len(notes)
    assert {p.id for p in batch.papers} == {f"openreview:{n['id']}" for n in notes}
    assert sum(p.withdrawn for p in batch.papers) == sum(
        bool(n["withdrawn"]) or "Withdrawn" in n["content"]["venue"] for n in notes
    )
    assert all(p.abstract for p in batch.papers)


def test_citations_over_all_pages(services: FakeServices, web: Web) -> None:
    calls = cassette("test_get_paper_citations.yaml")
    pages = {path.split("offset=")[1].split("&")[0]: body for path, _, body in calls}
    services.routes["/graph/v1/paper/"] = lambda _p, query: (200, {}, pages[query["offset"]])
    batch = Citations(web, "10.1/any", services.url).fetch({})
    rows = [row for body in pages.values() for row in json.loads(body)["data"]]
    usable = {r["citingPaper"]["paperId"] for r in rows if r["citingPaper"]["paperId"] and r["citingPaper"]["title"]}
    assert len(services.asked) == len(calls)
    assert len(usable) > 1000
    assert {p.id for p in batch.papers} == {f"s2:{paper_id}" for paper_id in usable}


def test_citations_with_nulls_and_faults(services: FakeServices, web: Web) -> None:
    assert paper_of(json.loads((CORPUS / "semanticscholar" / "PaperWithNullValues.json").read_text())) is None
    recorded = json.loads((CORPUS / "semanticscholar" / "Citation.json").read_text())
    assert paper_of(recorded["citingPaper"]) is not None
    for name, fault in [
        ("test_not_found.yaml", SourceFault.NOT_FOUND),
        ("test_bad_query_parameters.yaml", SourceFault.UNREACHABLE),
    ]:
        _, status, body = cassette(name)[0]
        services.routes["/graph/v1/paper/"] = lambda _p, _q, status=status, body=body: (status, {}, body)  # type: ignore[misc]
        with pytest.raises(SourceFailed) as failed:
            Citations(web, "10.1/any", services.url).fetch({})
        assert failed.value.fault is fault


def test_a_batch_with_unknown_ids() -> None:
    [(_, _, body)] = cassette("test_get_papers_not_found_warning.yaml")
    answer = json.loads(body)
    asked = [f"id{i}" for i in range(len(answer))]
    found = citation_counts(asked, answer, {})
    assert set(found.counts) == {name for name, row in zip(asked, answer, strict=True) if row is not None}


@pytest.mark.parametrize("file", sorted((CORPUS / "feeds").glob("*.xml")), ids=lambda f: f.stem)
def test_feeds(services: FakeServices, web: Web, file: Path) -> None:
    content = file.read_bytes()
    services.routes["/feed"] = fake.static(content, "application/xml")
    batch = Blog(web, services.url + "/feed").fetch({})
    links = {
        line.strip()
        for line in content.decode().split("<item>")[1:]
        for line in [_between(line, "<link>", "</link>")]
    }
    assert len(batch.papers) == len(links)
    assert sorted(_words(p.title) for p in batch.papers) == sorted(_titles(content)), "counted by another reader"
    assert not batch.incomplete


def test_a_feed_over_its_history_reports_each_post_once(services: FakeServices, web: Web) -> None:
    mark: Any = {}
    seen: list[str] = []
    source = Blog(web, services.url + "/feed")
    for file in sorted((CORPUS / "feeds" / "history" / "anthropic_news").glob("*.xml")):
        services.routes["/feed"] = fake.static(file.read_bytes(), "application/xml")
        batch = source.fetch(mark)
        mark = batch.mark
        seen += [p.id for p in batch.papers]
    assert len(seen) == len(set(seen)) > 100


@pytest.mark.parametrize(
    "file", sorted((CORPUS / "feeds" / "feedparser-illformed").glob("*.xml")), ids=lambda f: f.stem
)
def test_ill_formed_feeds_are_read_or_refused_but_never_break(file: Path) -> None:
    content = file.read_bytes()
    header = next(
        (
            line.split(":", 2)[2].strip()
            for line in content.decode("latin-1").splitlines()
            if line.startswith("Header:      Content-type")
        ),
        None,
    )
    feed = parse_feed(content, header, "https://feed.test/")
    entries = content.count(b"<item>") + content.count(b"<entry>")
    if feed is None:
        assert entries == 0
    else:
        assert len(feed.papers) + sum("left out" in note for note in feed.notes) == entries


def _between(text: str, begin: str, end: str) -> str:
    return text.split(begin, 1)[1].split(end, 1)[0] if begin in text else text[:50]


def _titles(content: bytes) -> list[str]:
    """Titles of a feed's items, read by lxml: another reader than the one under test; one per link, as a blog posts."""
    root = etree.fromstring(content, etree.XMLParser(recover=True, huge_tree=True))
    found = {item.findtext("link", "").strip(): item.findtext("title", "") for item in root.iter("item")}
    return [_words(BeautifulSoup(title, "lxml").get_text(" ")) for title in found.values()]


def _words(title: str) -> str:
    return " ".join(re.findall(r"\w+", title))


def test_every_recording_is_read_by_some_test() -> None:
    """A recording that nobody serves proves nothing."""
    read = ("arxiv", "openreview", "semanticscholar", "feeds")
    there = sorted(p.name for p in CORPUS.iterdir() if p.is_dir())
    assert there == sorted([*read, "crossref", "tdms"]), "crossref is not a source; tdms is labelled text"
    assert len(list((CORPUS / "arxiv").glob("*.json"))) == 8
    assert len(list((CORPUS / "openreview").glob("*.json"))) == 19
