"""Boards as pages and files really hold them: what a reader sees is what is read, or the board is refused."""

from __future__ import annotations

import pytest
import yaml


def page(*rows, header="<th>System</th><th>Score</th>"):
    """An HTML table; each row is its cells' markup."""
    body = "".join("<tr>" + "".join(f"<td>{cell}</td>" for cell in row) + "</tr>" for row in rows)
    return f"<!doctype html><html><body><table><tr>{header}</tr>{body}</table></body></html>"


OTHERS = (("Bay", "63.0"), ("Cypress", "62.0"))
INNER = "<table><tr><td>part one</td><td>97.1</td></tr></table>"
HEALTHY = [("Aspen", 64.0), ("Bay", 63.0), ("Cypress", 62.0)]


class TestTableInACell:
    """The rows of a table that stands in a cell belong to no board, and its words to no cell of the outer one."""

    def test_behind_the_name(self, ranking):
        assert ranking(page((f"Aspen{INNER}", "64.0"), *OTHERS)) == HEALTHY

    def test_before_the_name(self, ranking):
        assert ranking(page((f"{INNER}Aspen", "64.0"), *OTHERS)) == HEALTHY

    def test_in_the_score_cell(self, ranking):
        assert ranking(page(("Aspen", f"64.0{INNER}"), *OTHERS)) == HEALTHY


class TestHiddenText:
    """What no reader of the page sees is neither a name nor a digit of a score."""

    @pytest.mark.parametrize("how", ['style="display: none"', "hidden", 'style="visibility:hidden"'])
    def test_a_hidden_sort_key_is_dropped(self, ranking, how):
        assert ranking(page(("Aspen", f"<span {how}>0064.0</span>64.0"), *OTHERS)) == HEALTHY

    def test_aria_hidden_is_no_part_of_a_name(self, ranking):
        assert ranking(page(('Aspen <span aria-hidden="true">checked</span>', "64.0"), *OTHERS)) == HEALTHY

    def test_aria_hidden_is_no_part_of_a_score(self, ranking):
        assert ranking(page(("Aspen", '<span aria-hidden="true">0064</span>64.0'), *OTHERS)) == HEALTHY

    def test_two_numbers_in_one_cell_are_not_joined(self, parse):
        many = tuple((f"System {i}", f"{40 + i}.0") for i in range(20))
        board = parse(page(("Aspen", "<span>0064</span>64.0"), *many))
        assert "Aspen" not in [e["system"] for e in board["entries"]]
        assert any("Aspen" in warning for warning in board["warnings"])

    def test_a_sort_key_is_read_where_the_spec_asks_for_it(self, ranking):
        rows = page(("Aspen", "64.0"), ("Bay", "63.0")).replace("<td>63.0", '<td data-sort="63.25">63.2')
        spec = {"scrape_method": "html_table", "primary_metric": "Score"}
        score = {"column": "Score", "attribute": "data-sort"}
        columns = {"system": "System", "score": [score, "Score"]}
        assert ranking(rows, spec={**spec, "columns": columns}) == [("Aspen", 64.0), ("Bay", 63.25)]


class TestHtmlTree:
    """A page's rows are those that a browser shows, however carelessly the page is written."""

    WANTED = [("Alder", 81.0), ("Birch", 80.0), ("Cedar", 79.0)]

    @staticmethod
    def table(rows, start="<tbody>"):
        head = "<table><thead><tr><th>System</th><th>Score</th></tr></thead>"
        return f"<!doctype html><html><body>{head}{start}{rows}</table></body></html>"

    def test_a_row_that_begins_with_its_first_cell(self, ranking):
        rows = "<tr><td>Alder</td><td>81</td></tr><td>Birch</td><td>80</td></tr><tr><td>Cedar</td><td>79</td></tr>"
        assert ranking(self.table(rows)) == self.WANTED

    def test_rows_parted_by_end_tags_alone(self, ranking):
        rows = "".join(f"<td>{name}</td><td>{score:.0f}</td></tr>" for name, score in self.WANTED)
        assert ranking(self.table(rows)) == self.WANTED

    def test_rows_and_cells_that_nobody_closes(self, ranking):
        rows = "".join(f"<tr><td>{name}<td>{score:.0f}" for name, score in self.WANTED)
        assert ranking(self.table(rows)) == self.WANTED

    def test_a_row_inside_a_row(self, ranking):
        rows = "".join(f"<tr><tr><td>{name}</td><td>{score:.0f}</td></tr></tr>" for name, score in self.WANTED)
        assert ranking(self.table(rows)) == self.WANTED

    def test_stray_end_tags(self, ranking):
        rows = "".join(
            f"<tr><td>{name}</span></td></p><td>{score:.0f}</b></td></div></tr>" for name, score in self.WANTED
        )
        assert ranking(self.table(rows)) == self.WANTED

    def test_what_stands_between_rows_is_moved_before_the_table(self, ranking):
        rows = "".join(f"<tr><td>{name}</td><td>{score:.0f}</td></tr>note {name}" for name, score in self.WANTED)
        assert ranking(self.table(rows)) == self.WANTED


class TestFormulas:
    """MathML holds its source beside what it shows: a number is read once."""

    @staticmethod
    def formula(number):
        shown = f"<mrow><mn>{number}</mn></mrow>"
        content = f'<annotation-xml encoding="MathML-Content"><cn type="float">{number}</cn></annotation-xml>'
        source = f'<annotation encoding="application/x-tex">{number}</annotation>'
        return f'<math alttext="{number}"><semantics>{shown}{content}{source}</semantics></math>'

    def test_a_score_set_as_a_formula(self, ranking):
        rows = [(name, self.formula(score)) for name, score in HEALTHY]
        assert ranking(page(*rows)) == HEALTHY

    def test_a_name_with_a_formula(self, ranking):
        rows = page((f"Aspen-{self.formula(2)}", "64.0"), *OTHERS)
        assert ranking(rows) == [("Aspen-2", 64.0), *HEALTHY[1:]]


class TestHeaderOfTdCells:
    """A first row of spans and words over rows of numbers is a header, whatever its tag."""

    TABLE = """<table>
    <tr><td rowspan="2",div align="center">System</td><td colspan="2",div align="center">Test, F<sub>1</sub></td></tr>
    <tr><td>Short</td><td>Long</td></tr>
    <tr><td>Aspen</td><td>31.5%</td><td>22.5%</td></tr>
    <tr><td>Bay</td><td>30.5%</td><td>21.5%</td></tr></table>"""
    WANTED = [("Aspen", 22.5), ("Bay", 21.5)]

    def test_two_levels_are_joined(self, ranking):
        assert ranking(f"# Results\n\n{self.TABLE}\n", name="board.md", metric="Test, F1 / Long") == self.WANTED

    def test_a_table_of_pictures_is_not_counted(self, ranking):
        pictures = '<table><tr><td><img src="a.png"></td><td>badge</td></tr></table>'
        board = "<table><tr><th>System</th><th>F1</th></tr><tr><td>Aspen</td><td>22.5</td></tr></table>"
        spec = {"scrape_method": "markdown", "primary_metric": "F1", "locate": {"table": 1}}
        assert ranking(f"{pictures}\n\n{board}\n", name="board.md", spec=spec) == [("Aspen", 22.5)]


class TestJsonLines:
    """A record ends at a newline; other line separators may stand in a text."""

    @pytest.mark.parametrize("separator", ["\u2028", "\u2029", "\u0085"])
    def test_a_separator_in_a_note(self, ranking, separator):
        lines = [
            f'{{"system": "Aspen", "score": 64.0, "note": "one{separator}two"}}',
            '{"system": "Bay", "score": 63.0, "note": "plain"}',
            f'{{"system": "Cypress", "score": 62.0, "note": "{separator}"}}',
        ]
        assert ranking("\n".join(lines) + "\n", name="board.jsonl", metric="score") == HEALTHY


class TestHalvesOfCharacters:
    """Half a surrogate pair can be neither stored nor printed: it becomes U+FFFD where the text comes in."""

    SCRIPT = r"""const table = {
  "1": {"System": "Aspen \ud83e\udd47", "Score": 64.0},
  "2": {"System": "Bay \ud83e", "Score": 63.0},
  "3": {"System": "Cypress", "Score": 62.0}
};"""

    def test_in_a_javascript_board(self, ranking):
        assert ranking(self.SCRIPT, name="board.js") == [("Aspen", 64.0), ("Bay \ufffd", 63.0), ("Cypress", 62.0)]

    def test_in_a_json_board(self, ranking):
        rows = r'[{"System": "Aspen", "Score": 64.0}, {"System": "Bay \udd47", "Score": 63.0}]'
        assert ranking(rows, name="board.json") == [("Aspen", 64.0), ("Bay \ufffd", 63.0)]


class TestADayOfZeros:
    """No competition loses all its scores at once: such a day is set aside, and the last good one stands."""

    ROWS = (("Lantern", 0.912), ("Meadow", 0.908), ("Ours", 0.901), ("Nettle", 0.880))

    @pytest.fixture
    def replayed(self, cli, tmp_path):
        days = tmp_path / "days"
        days.mkdir()
        for day, factor in (("2026-04-01", 1), ("2026-04-02", 0), ("2026-04-03", 1)):
            rows = "".join(f"{name},{score * factor:.5f}\n" for name, score in self.ROWS)
            (days / f"{day}.csv").write_text("team,score\n" + rows)
        spec = {"name": "Tides", "scrape_method": "csv", "primary_metric": "score", "higher_is_better": True}
        (tmp_path / "spec.yaml").write_text(yaml.safe_dump(spec | {"columns": {"system": "team", "score": "score"}}))
        told = cli("leaderboard", "replay", days, "--spec", tmp_path / "spec.yaml", "--ours", "Ours", "--json")
        assert told.code == 0, told.err
        return told.json["snapshots"]

    def test_the_day_is_refused(self, replayed):
        assert [day["status"] for day in replayed] == ["ok", "refused", "ok"]

    def test_the_day_after_tells_no_change(self, replayed):
        assert replayed[2]["changes"] == []


class TestAttributes:
    """A spec may read what a cell holds in an attribute; nothing is read there unasked."""

    ROWS = page(
        ('<a href="/s/1">Aspen</a>', '<span data-order="64.25">64.3</span>'),
        ("Bay", '<b data-order="63.75">63.8</b>'),
    )

    @staticmethod
    def spec(score):
        return {"scrape_method": "html_table", "primary_metric": "Score", "columns": {"score": score}}

    def test_of_an_element_in_the_cell_and_before_a_pattern(self, ranking):
        assert ranking(self.ROWS, spec=self.spec({"column": "Score", "attribute": "data-order"})) == [
            ("Aspen", 64.25),
            ("Bay", 63.75),
        ]
        cut = {"column": "Score", "attribute": "Data-Order", "regex": r"(\d+)\."}
        assert ranking(self.ROWS, spec=self.spec(cut)) == [("Aspen", 64.0), ("Bay", 63.0)]

    def test_one_that_no_cell_has_is_refused_or_the_next_column_is_read(self, parse, ranking):
        absent = {"column": "Score", "attribute": "data-sort"}
        with pytest.raises(AssertionError, match=r"no cell of column 'Score' .* has the attribute 'data-sort'"):
            parse(self.ROWS, spec=self.spec(absent))
        assert ranking(self.ROWS, spec=self.spec([absent, "Score"])) == [("Aspen", 64.3), ("Bay", 63.8)]

    def test_the_printed_spec_reads_the_same_board(self, parse):
        first = parse(self.ROWS, spec=self.spec({"column": "Score", "attribute": "data-order"}))
        assert parse(self.ROWS, spec=first["spec"])["entries"] == first["entries"]

    @pytest.mark.parametrize("column", [{"column": "Score"}, {"column": "Score", "attribute": "a]b"}])
    def test_a_faulty_key_is_named(self, parse, column):
        with pytest.raises(AssertionError, match=r"spec\.yaml:\d+: columns\.score"):
            parse(self.ROWS, spec=self.spec(column))

    def test_a_key_of_another_place_is_no_advice(self, parse):
        """``name`` is a key of a board, not of a column."""
        with pytest.raises(AssertionError, match=r"columns\.score\.name: unknown key(?!; did you mean 'name')"):
            parse(self.ROWS, spec=self.spec({"name": "Score", "attribute": "data-sort"}))
