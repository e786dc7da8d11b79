"""The rows of a table are those of Chromium's ``table.rows``, on real pages and on malformed ones."""

from pathlib import Path

import pytest
from perf import html_against_browser as against
from selectolax.lexbor import LexborHTMLParser

CORPUS = Path(__file__).resolve().parents[3] / "shared" / "corpus"
LEFT_OPEN = (
    "<table><thead><tr><th>Rank<th>Model<tbody><tr><td>1</td><td>Alder</td></tr><td>2</td><td>Birch</td></tr>"
    "<tr><td>3</td><td>Cedar</td><tr><tr><td>4</td><td>Dogwood</td></tr></tr></table>"
)


@pytest.fixture(scope="module")
def tab(browser):
    page = browser.new_page()
    yield page
    page.close()


def test_rows_that_nobody_opened_or_closed(tab):
    rows = against.rows_of_browser(tab, LEFT_OPEN)
    assert [row[1][1] for row in rows[0] if row] == ["Model", "Alder", "Birch", "Cedar", "Dogwood"]
    assert against.rows_of_reader(LEFT_OPEN) == rows


def test_generated_tables(tab):
    made = [(f"seed {seed}", against.generated(seed)) for seed in range(1000, 1100)]
    told = against.compared(tab, made)
    assert told["differing"] == []
    assert told["rows"] > 300


def test_a_difference_is_seen(tab, monkeypatch):
    monkeypatch.setattr(against, "document", lambda text: LexborHTMLParser(text.replace("Birch", "Beech")))
    assert against.compared(tab, [("one", LEFT_OPEN)])["differing"] == ["one"]


@pytest.mark.skipif(not CORPUS.is_dir(), reason="../shared/corpus is not there")
def test_real_pages(tab):
    told = against.compared(tab, against.documents_in(CORPUS))
    assert told["tables"] > 40
    assert told["differing"] == []
