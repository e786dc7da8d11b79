"""Blog feeds as they are published: entries without links or dates, links that differ in their query, odd dates."""

from __future__ import annotations

from datetime import UTC, date, datetime
from types import SimpleNamespace

import pytest
from tests.fakes import papers_server as fake
from tests.fakes.clock import FrozenClock
from tests.fakes.opener import loopback
from tests.fakes.papers_server import FakeServices

from auto_benchmark.sources.papers.blogs import Blog
from auto_benchmark.sources.papers.collect import collect
from auto_benchmark.sources.papers.web import Pace, Web


@pytest.fixture
def read():
    """Fetches a feed that stands under ``/news/feed.xml``."""
    clock = FrozenClock()
    with fake.served(FakeServices()) as services:
        web = Web(Pace(clock=clock, sleep=clock.sleep), opener=loopback, attempts=2)

        def fetch(document, mark=None):
            services.routes["/news/feed.xml"] = fake.static(document.encode())
            return Blog(web, services.url + "/news/feed.xml").fetch(mark or {})

        yield fetch


def rss(*items):
    body = "".join(f"<item>{item}</item>" for item in items)
    return f'<rss version="2.0"><channel><title>Notes of a laboratory</title>{body}</channel></rss>'


def item(title, guid="", link="", published=""):
    parts = {"title": title, "guid": guid, "link": link, "pubDate": published}
    return "".join(f"<{name}>{text}</{name}>" for name, text in parts.items() if text)


def titles(batch):
    return sorted(paper.title for paper in batch.papers)


class TestEntriesWithoutALink:
    def test_entries_with_a_guid_are_all_kept(self, read):
        entries = [item(f"Note {n}", f"urn:note:{n}") for n in range(4)]
        assert titles(read(rss(*entries))) == ["Note 0", "Note 1", "Note 2", "Note 3"]

    def test_entries_with_a_title_alone_are_all_kept(self, read):
        assert titles(read(rss(item("First note"), item("Second note")))) == ["First note", "Second note"]

    def test_an_entry_is_announced_once(self, read):
        document = rss(item("First note", "urn:note:1"))
        assert read(document, read(document).mark).papers == ()


class TestIdentity:
    def test_a_guid_outlives_a_changed_link(self, read):
        first = read(rss(item("Longer context", "urn:7", "https://lab.example/2026/longer-context")))
        again = read(rss(item("Longer context", "urn:7", "https://lab.example/blog/longer-context")), first.mark)
        assert (len(first.papers), again.papers) == (1, ())

    WEEK = [
        item("Denser indices", "urn:a", "https://lab.example/read.html?post=denser-indices"),
        item("Shorter prompts", "urn:b", "https://lab.example/read.html?post=shorter-prompts"),
        item("Cheaper judges", "urn:c", "https://lab.example/read.html?post=cheaper-judges"),
    ]

    def test_articles_of_one_page_are_several(self, read):
        assert titles(read(rss(*self.WEEK))) == ["Cheaper judges", "Denser indices", "Shorter prompts"]

    def test_a_later_article_of_the_page_is_new(self, read):
        first = read(rss(*self.WEEK))
        later = item("Slower decay", "urn:d", "https://lab.example/read.html?post=slower-decay")
        assert titles(read(rss(*self.WEEK, later), first.mark)) == ["Slower decay"]

    def test_an_article_with_and_without_tracking_is_one(self, read):
        link = "https://lab.example/2026/denser-indices/"
        tracked = f"{link}?utm_source=feed&amp;utm_campaign=spring"
        assert len(read(rss(item("Denser indices", link=tracked), item("Denser indices", link=link))).papers) == 1


class TestDates:
    @pytest.mark.parametrize("text", ["Di, 14 Apr 2026 09:30:00", "", "31 Feb 2026", "soon"])
    def test_an_unreadable_date_loses_no_entry(self, read, text):
        assert titles(read(rss(item("Note", "urn:1", published=text)))) == ["Note"]

    def test_a_date_in_the_future_is_flagged(self, read):
        batch = read(rss(item("Note", "urn:1", published="Thu, 01 Jan 2099 00:00:00 GMT")))
        assert titles(batch) == ["Note"]
        assert any("future" in note for note in batch.notes)

    def test_what_is_odd_is_said_by_the_run_that_reads_it(self, read):
        said = []
        feed = SimpleNamespace(
            key="blog", fetch=lambda mark: read(rss(item("Note", "urn:1", published="Thu, 01 Jan 2099 00:00:00 GMT")))
        )
        collect([feed], {}, said.append)
        assert said[0] == "blog: 1 new papers"
        assert "'Note' is dated in the future, 2099-01-01" in said[1]

    def test_a_day_without_a_time_stays_a_day(self, read):
        entry = "<entry><title>Note</title><id>urn:1</id><published>2026-04-14</published></entry>"
        document = f'<feed xmlns="http://www.w3.org/2005/Atom"><title>Notes</title>{entry}</feed>'
        (paper,) = read(document).papers
        assert (type(paper.published), paper.published) == (date, date(2026, 4, 14))

    def test_a_moment_is_stored_in_utc(self, read):
        (paper,) = read(rss(item("Note", "urn:1", published="Tue, 14 Apr 2026 01:30:00 +0900"))).papers
        assert paper.published == datetime(2026, 4, 13, 16, 30, tzinfo=UTC)


def test_half_a_surrogate_pair_becomes_a_replacement_character(read):
    (paper,) = read(rss(item("Note &#xD83E; one", "urn:1"))).papers
    paper.title.encode("utf-8")
    assert "Note" in paper.title and "one" in paper.title
