"""Papers as their services deliver them: formulas in HTML, dates and withdrawals of OpenReview, lines of JSON."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest
from tests.fakes import papers_server as fake
from tests.fakes.clock import FrozenClock
from tests.fakes.opener import loopback
from tests.fakes.papers_server import FakeServices

from auto_benchmark.research.paper import Paper
from auto_benchmark.sources.papers.full_text import body_of
from auto_benchmark.sources.papers.openreview import Venue
from auto_benchmark.sources.papers.source import SourceFailed
from auto_benchmark.sources.papers.web import Pace, Web


@pytest.fixture
def services():
    with fake.served(FakeServices()) as services:
        yield services


@pytest.fixture
def web():
    clock = FrozenClock()
    return Web(Pace(clock=clock, sleep=clock.sleep), opener=loopback, attempts=2)


class TestFormulas:
    """A formula is read as it is shown; its two sources beside it are not read again."""

    @staticmethod
    def formula(shown, source):
        content = f'<annotation-xml encoding="MathML-Content"><cn type="float">{source}</cn></annotation-xml>'
        tex = f'<annotation encoding="application/x-tex">{source}</annotation>'
        return f'<math alttext="{source}"><semantics><mrow>{shown}</mrow>{content}{tex}</semantics></math>'

    @pytest.fixture
    def body(self, services, web):
        gain = self.formula("<mn>2.7</mn><mo>%</mo>", r"2.7\%")
        rows = [("Flat search", "61.3"), ("Layered search", "64.0")]
        cells = "".join(f"<tr><td>{name}</td><td>{self.formula(f'<mn>{x}</mn>', x)}</td></tr>" for name, x in rows)
        filler = "<p>The index is built once and each question walks it from the coarsest level down.</p>" * 30
        text = (
            f"<!doctype html><html><body><article><p>Layers improve accuracy by {gain} over flat search.</p>{filler}"
            f"<table><tr><th>Method</th><th>Accuracy</th></tr>{cells}</table></article></body></html>"
        )
        services.routes["/html/"] = fake.static(text.encode(), "text/html")
        paper = Paper("arxiv:2604.00001", "Layered search", "", "arxiv", arxiv_id="2604.00001")
        return body_of(web, paper, services.url)

    def test_in_a_sentence(self, body):
        assert "improve accuracy by 2.7% over" in body.text.replace(" %", "%")

    def test_in_a_table(self, body):
        assert [row[1] for row in body.tables[0].rows] == ["61.3", "64.0"]


class TestOpenReview:
    GROUP = "Lab.cc/2026/Conference"

    @pytest.fixture
    def papers(self, services, web):
        def fetch(*notes):
            services.routes["/notes"] = lambda path, query: fake.json_reply({"notes": notes, "count": len(notes)})
            found = Venue(web, self.GROUP, base_url=services.url, base_url_v1=services.url).fetch({})
            return {paper.title: paper for paper in found.papers}

        return fetch

    @staticmethod
    def note(name, **fields):
        return {"id": name, "content": {"title": {"value": f"Title {name}"}}, **fields}

    def test_the_first_interface_s_notes_are_dated_by_their_creation(self, papers):
        first = {"id": "a", "cdate": 1775000000000, "content": {"title": "Title a", "abstract": "An abstract."}}
        assert papers(first)["Title a"].published == datetime(2026, 3, 31, 23, 33, 20, tzinfo=UTC)

    def test_a_publication_date_counts(self, papers):
        assert papers(self.note("a", pdate=1775000000000))["Title a"].published is not None

    def test_a_publication_date_goes_before_the_day_of_creation(self, papers):
        found = papers(self.note("a", pdate=1775000000000, cdate=1765000000000))["Title a"]
        assert found.published == datetime(2026, 3, 31, 23, 33, 20, tzinfo=UTC)

    @pytest.mark.parametrize("kind", ["Withdrawn_Submission", "Desk_Rejected_Submission"])
    def test_what_was_taken_back_is_known_by_its_invitation(self, papers, kind):
        assert papers(self.note("a", cdate=1, invitations=[f"{self.GROUP}/-/{kind}"]))["Title a"].withdrawn

    def test_an_ordinary_invitation_takes_nothing_back(self, papers):
        assert not papers(self.note("a", cdate=1, invitations=[f"{self.GROUP}/-/Submission"]))["Title a"].withdrawn

    def test_a_venue_without_notes_is_a_fault(self, papers):
        with pytest.raises(SourceFailed, match=self.GROUP):
            papers()


def test_odd_characters_in_json_lines_end_no_record(cli, tmp_path):
    abstract = "We propose layered search.{}It improves accuracy by 2.7% over flat search."
    odd = ["\u2028", "\u2029", "\u0085", "\\ud83e"]
    lines = [
        f'{{"id": "p{n}", "title": "Layers {c}", "abstract": "{abstract.format(c)}"}}\n' for n, c in enumerate(odd)
    ]
    (tmp_path / "papers.jsonl").write_text("".join(lines), encoding="utf-8")
    ended = cli("research", "extract", tmp_path / "papers.jsonl", "--json")
    assert ended.code == 0, ended.err
    assert [paper["id"] for paper in ended.json["papers"]] == ["p0", "p1", "p2", "p3"]
