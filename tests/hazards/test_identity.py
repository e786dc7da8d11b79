"""One system is one system from day to day: badges, widths of letters, links, doubles and ranks that a page shows."""

from __future__ import annotations

import pytest


def kinds(told):
    return {change["type"] for change in told["changes"]}


def cells(first):
    rows = "".join(f"<tr><td>{name}</td><td>{score}</td></tr>" for name, score in ((first, 71.0), ("Gorse", 70.0)))
    return f"<table><tr><th>System</th><th>Score</th></tr>{rows}</table>"


@pytest.mark.parametrize(
    "badge", ['<span class="badge">NEW</span>', '<sup class="label">hot</sup>', '<b class="tag">#1</b>']
)
def test_a_badge_before_the_name_is_no_name(ranking, badge):
    assert ranking(cells(f"{badge} Fern"))[0] == ("Fern", 71.0)


@pytest.mark.parametrize("medal", ["🥇", "🆕 🥇", "🥇 ✅"])
def test_medals_are_no_part_of_a_name(ranking, medal):
    assert ranking(cells(f"{medal} Fern"))[0] == ("Fern", 71.0)


def board(*rows):
    return "system,score\n" + "".join(f"{name},{score}\n" for name, score in rows)


@pytest.mark.parametrize(
    ("old", "new"),
    [("Ｆｅｒｎ　２", "Fern 2"), ("Cafe\u0301", "Caf\u00e9")],
    ids=["full width", "composed"],
)
def test_forms_of_one_letter_are_one_name(diff, old, new):
    told = diff(board((old, 71.0), ("Ours", 60.0)), board((new, 71.0), ("Ours", 60.0)))
    assert told["changes"] == []


@pytest.mark.parametrize(("old", "new"), [("Ang\u212bstrom", "Ang\u00e5strom"), ("ﬁr", "fir")])
def test_a_compatible_letter_is_the_same_letter(diff, old, new):
    assert diff(board((old, 71.0), ("Ours", 60.0)), board((new, 71.0), ("Ours", 60.0)))["changes"] == []


def linked(*rows):
    return "system,score,link\n" + "".join(f"{n},{s},https://boards.example/{u}\n" for n, s, u in rows)


def test_a_link_outlives_a_new_name_and_a_new_score(diff):
    old = linked(("Fern", 71.0, "fern"), ("Ours", 60.0, "ours"))
    new = linked(("Fern (adversarial)", 73.0, "fern"), ("Ours", 60.0, "ours"))
    told = diff(old, new, columns={"system": "system", "score": "score", "url": "link"})
    assert kinds(told) & {"new_entrant", "withdrawn"} == set()
    assert "improved" in kinds(told)


class TestLinks:
    """A declared link identifies an entry where its name does not, and never against the name."""

    COLUMNS = {"system": "system", "score": "score", "url": "link"}

    def test_a_link_that_two_entries_share_identifies_neither(self, diff):
        old = linked(("Fern", 71.0, "team"), ("Gorse", 70.0, "team"), ("Ours", 60.0, "ours"))
        new = linked(("Heath", 75.0, "team"), ("Gorse", 70.0, "team"), ("Ours", 60.0, "ours"))
        assert {"new_entrant", "withdrawn"} <= kinds(diff(old, new, columns=self.COLUMNS))

    def test_links_that_count_the_rows_change_nothing(self, diff):
        old = linked(("Fern", 71.0, "1"), ("Gorse", 70.0, "2"), ("Ours", 60.0, "3"))
        new = linked(("Gorse", 72.0, "1"), ("Fern", 71.0, "2"), ("Ours", 60.0, "3"))
        assert kinds(diff(old, new, columns=self.COLUMNS)) <= {"improved", "rank_shift"}

    def test_of_one_name_twice_the_link_says_which_is_which(self, diff):
        old = linked(("Fern", 71.0, "a"), ("Fern", 69.0, "b"), ("Ours", 60.0, "ours"))
        new = linked(("Fern", 71.0, "a"), ("Fern", 73.0, "b"), ("Ours", 60.0, "ours"))
        told = diff(old, new, columns=self.COLUMNS)
        assert [(c["old"], c["new"]) for c in told["changes"] if c["type"] == "improved"] == [(69.0, 73.0)]

    def test_the_link_of_a_cell_of_a_page(self, diff):
        def board(name, score):
            rows = ((f'<a href="/fern">{name}</a>', score), ("Gorse", 70.0), ("Ours", 60.0))
            cells = "".join(f"<tr><td>{n}</td><td>{s}</td></tr>" for n, s in rows)
            return f"<table><tr><th>system</th><th>score</th></tr>{cells}</table>"

        columns = {"system": "system", "score": "score", "url": {"column": "system", "attribute": "href"}}
        told = diff(board("Fern", 71.0), board("Bracken", 73.0), "html", scrape_method="html_table", columns=columns)
        assert kinds(told) == {"renamed", "improved"}


class TestDoubles:
    """Two entries of one name are kept apart, and the better one stands for the name."""

    ROWS = board(("Fern (ensemble)", 90.7), ("Fern (ensemble)", 90.2), ("Gorse", 89.0), ("Ours", 60.0))

    def test_they_count_once_in_the_ranks(self, parse):
        ranks = {e["system"]: e["rank"] for e in parse(self.ROWS, name="board.csv", metric="score")["entries"]}
        assert (ranks["Gorse"], ranks["Ours"]) == (2, 3)

    def test_each_has_a_mark_of_its_own(self, parse):
        entries = parse(self.ROWS, name="board.csv", metric="score")["entries"]
        marks = {(e["system"], e["note"]) for e in entries if e["system"].startswith("Fern")}
        assert sorted(e["score"] for e in entries if e["system"].startswith("Fern")) == [90.2, 90.7]
        assert len(marks) == 2

    def test_a_second_run_of_a_name_is_no_loss_of_ours(self, diff):
        once = board(("Fern (ensemble)", 90.7), ("Gorse", 89.0), ("Ours", 60.0))
        told = diff(once, self.ROWS)
        ours = [c for c in told["changes"] if c["system"] == "Ours"]
        assert ours == [] and any("#3" in line for line in told["alerts"])


def test_a_stale_published_rank_is_reported_once(parse):
    rows = "rank,system,score\n1,Fern,90.7\n2,Gorse,89.0\n2,Heath,91.0\n"
    told = parse(rows, name="board.csv", metric="score")
    assert [e["system"] for e in told["entries"]] == ["Heath", "Fern", "Gorse"]
    assert len([warning for warning in told["warnings"] if "rank" in warning]) == 1


@pytest.mark.parametrize("mark", ["†", "◊"])
def test_a_footnote_mark_leaves_the_name_and_stays_as_a_note(parse, mark):
    first = parse(board((f"Fern{mark}", 71.0), ("Gorse", 70.0)), name="board.csv", metric="score")["entries"][0]
    assert first["system"] == "Fern"
    assert mark in (first["note"] or "")
