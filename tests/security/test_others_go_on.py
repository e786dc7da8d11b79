"""One board that holds something odd is refused, and the others are read."""

from __future__ import annotations

import json

import pytest
import yaml

pytestmark = pytest.mark.timeout(60)
ESCAPE, MARKUP = "\x1b]0;owned\x07", "<img src=x onerror=alert(1)>"


def with_board(toy, rows):
    """The project as a new process reads it, with one more board of these rows."""
    config = toy.ctx.settings.config
    (config / "odd.json").write_text(json.dumps(rows))
    file = config / "competitive_registry.yaml"
    declared = yaml.safe_load(file.read_text())
    board = {"name": "Odd", "url": "odd.json", "scrape_method": "api", "primary_metric": "accuracy"}
    declared["target_leaderboards"].insert(0, {**board, "higher_is_better": True})
    file.write_text(yaml.safe_dump(declared))
    return toy.again()


@pytest.mark.parametrize("name", ["a\0b", "\ud800 half"], ids=["a NUL", "half a sign"])
def test_a_name_that_cannot_be_stored_stops_no_other_board(toy, name):
    from auto_benchmark.flows import inline

    ctx = with_board(toy, [{"system": name, "accuracy": 0.5}, {"system": "other", "accuracy": 0.4}])
    try:
        told = {one["board"]: one["status"] for one in inline.scrape(ctx)["boards"]}
    except Exception as error:
        raise AssertionError(f"the scrape ended with {type(error).__name__}") from error
    assert told["ToyBoard"] == "ok"


def test_a_reader_that_falls_over_a_document_stops_no_other_board(toy, monkeypatch):
    from auto_benchmark.boards import scrape
    from auto_benchmark.flows import inline

    def falls(content, board, **how):
        if board.name == "Odd":
            raise RecursionError("too deep")
        return read(content, board, **how)

    read = scrape.read_board
    monkeypatch.setattr(scrape, "read_board", falls)
    ctx = with_board(toy, [{"system": "x", "accuracy": 0.5}])
    told = {one["board"]: one for one in inline.scrape(ctx)["boards"]}
    assert told["ToyBoard"]["status"] == "ok"
    assert told["Odd"]["status"] == "refused"
    assert "RecursionError" in told["Odd"]["reason"]


def test_rules_that_fall_over_a_paper_stop_no_other_paper(toy, monkeypatch):
    from auto_benchmark.papers.rules import Rules
    from auto_benchmark.research.paper import Paper
    from auto_benchmark.research.reader import Reader
    from auto_benchmark.research.record import PaperRecord

    def falls(self, paper, more=None):
        if paper.id == "arXiv:1":
            raise RecursionError("too deep")
        return read(self, paper, more)

    read = Reader.read_text
    monkeypatch.setattr(Reader, "read_text", falls)
    rules = Rules(toy.ctx.settings, toy.ctx.project)
    papers = [Paper(f"arXiv:{n}", "We test toys", "Toys are tested.") for n in (1, 2)]
    readings = [rules.reading(PaperRecord(paper)) for paper in papers]
    assert readings[0].relevance.relevant is False
    assert "RecursionError" in readings[0].relevance.reason
    assert "could not be read" not in readings[1].relevance.reason


@pytest.fixture
def marked(toy):
    """A project with a competitor whose name moves a terminal's cursor and a page's markup."""
    from auto_benchmark.flows import inline

    inline.scrape(toy.ctx)
    toy.board.write_text(f"system,accuracy\nLeader,0.90\nOurs,0.61\nLast,0.50\nEvil{ESCAPE}{MARKUP},0.65\n")
    inline.scrape(toy.ctx)
    return toy


def test_the_matrix_holds_no_raw_markup_and_no_control_character(marked):
    text = (marked.ctx.home / "reports" / "gap_matrix.md").read_text()
    assert "Evil" in text
    assert [raw for raw in ("<img", "\x1b", "\x07") if raw in text] == []


def test_no_control_character_reaches_a_terminal(marked, command):
    _, out = command("status")
    told = out + "\n".join(marked.said)
    assert [raw for raw in ("\x1b", "\x07") if raw in told] == []
