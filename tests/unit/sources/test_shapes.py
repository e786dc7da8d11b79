"""Shapes in which boards are really published, each as small as can be, read with nothing but the metric's name."""

from __future__ import annotations

import json
from typing import Any

import pytest

from auto_benchmark.registry.leaderboard import Leaderboard
from auto_benchmark.sources.read import read_board
from auto_benchmark.tables.entry import ParsedBoard
from auto_benchmark.tables.refusal import ReadRefused, Reason


def read(content: str | bytes, metric: str, method: str = "auto", higher: bool = True, **rest: Any) -> ParsedBoard:
    fields = {"name": "B", "url": "x", "scrape_method": method, "primary_metric": metric, "higher_is_better": higher}
    data = content.encode() if isinstance(content, str) else content
    return read_board(data, Leaderboard.model_validate({**fields, **rest}), source="https://example.org/x")


def top(board: ParsedBoard) -> list[tuple[str, float | None]]:
    return [(e.system, e.score) for e in board.entries]


def html(*rows: str, head: str = "<th>Model</th><th>Acc</th>") -> str:
    return f"<table><tr>{head}</tr>" + "".join(f"<tr>{row}</tr>" for row in rows) + "</table>"


HTML = {
    "medals, links, bold, footnotes": html(
        "<td>🥇 <a href=x><b>alpha</b></a><sup>†</sup></td><td><b>72.5</b></td>", "<td>beta</td><td>71</td>"
    ),
    "institution and link in the name's cell": html(
        "<td><a>alpha</a><p class=institution>Org</p><a>http://x</a></td><td>72.5</td>",
        "<td>beta<br><small>Org 2</small></td><td>71</td>",
    ),
    "superscript behind a score": html(
        "<td>alpha</td><td>72.5<sup>1</sup></td>", "<td>beta</td><td>71<sub>2</sub></td>"
    ),
    "hidden columns, rows and texts": html(
        "<td>alpha</td><td style='display:none'>9</td><td>72.5<span hidden>000</span></td>",
        "<td>beta</td><td style='display: none'>9</td><td>71</td>",
        head="<th>Model</th><th style='display:none'>Acc</th><th>Acc</th>",
    ).replace("</table>", "<tr class='d-none'><td>ghost</td><td>1</td><td>99</td></tr></table>"),
    "groups over all columns and a repeated header": html(
        "<td colspan=2>Open</td>",
        "<td>alpha</td><td>72.5</td>",
        "<th>Model</th><th>Acc</th>",
        "<td>beta</td><td>71</td>",
    ),
    "a plain first row as header": "<table><tr><td>Model</td><td>Acc</td></tr>"
    "<tr><td>alpha</td><td>72.5</td></tr><tr><td>beta</td><td>71</td></tr></table>",
    "unclosed cells and malformed attributes": '<table border=1 "><tr><th>Model<th>Acc'
    "<tr><td class=a\"b>alpha<td =x>72.5<tr colspan=q><td rowspan='x'>beta<td colspan=-1>71</table>",
    "rank and dot in the name": html("<td>1. alpha</td><td>72.5</td>", "<td>2. beta</td><td>71</td>"),
    "comment between rows": html("<td>alpha</td><td>72.5</td>", "<td>beta</td><td>71</td>").replace(
        "</table>", "<!-- <tr><td>ghost</td><td>99</td></tr> --></table>"
    ),
    "struck-out old score": html("<td>alpha</td><td><s>70</s> 72.5</td>", "<td>beta</td><td>71</td>"),
}
MARKDOWN = {
    "no outer pipes": "Model | Acc\n--- | ---\nalpha | 72.5\nbeta | 71\n",
    "mixed outer pipes": "|Model|Acc|\n|---|---|\nalpha|72.5|\n|beta|71\n",
    "commented-out row": "|Model|Acc|\n|--|--|\n|alpha|72.5|\n<!-- |ghost|99| -->\n|beta|71|\n",
    "escaped and quoted pipes": "|Model|Note|Acc|\n|-|-|-|\n|alpha|a \\| b|72.5|\n|beta|`x|y`|71|\n",
    "wrapped cells": "|<sub>Model</sub>|<sub>Acc</sub>|\n|-|-|\n"
    "|<sub>**alpha**</sub>|<sub>72.5%</sub>|\n|beta|71%|\n",
    "brackets in links": "|Model|Acc|\n|-|-|\n|[alpha](http://x/a(b),c(d))|72.5|\n|[beta][1]|71|\n",
    "example in a code block": "```\n|Model|Acc|\n|-|-|\n|ghost|99|\n```\n"
    "\n|Model|Acc|\n|-|-|\n|alpha|72.5|\n|beta|71|\n",
    "a table of HTML": "# T\n<table><tr><th>Model</th><th>Acc</th></tr>\n<tr><td>alpha</td><td>72.5</td></tr>\n"
    "<tr><td>beta</td><td>71</td></tr></table>\n",
    "two tables without a gap": "|Size|Use|\n|-|-|\n|7B|x|\n|Model|Acc|\n|-|-|\n|alpha|72.5|\n|beta|71|\n",
    "latex": "|Model|Acc|\n|-|-|\n|alpha|$72.5_{\\pm 0.3}$|\n|beta|$\\textbf{71}$|\n",
}
ALPHA, BETA = {"model": "alpha", "Acc": 72.5}, {"model": "beta", "Acc": "71"}
SCRIPT = """// v1
let t = {
  'alpha': {Acc: 72.5, tags: ['x',],},
  "beta": {Acc: +71},
};
function f(a) { return {a: a}; }
"""
DATA = {
    "records": json.dumps({"meta": {"n": 2}, "rows": [ALPHA, BETA]}),
    "keyed by name": json.dumps({"alpha": {"Acc": 72.5}, "beta": {"Acc": 71}}),
    "nested metrics": json.dumps([{"name": "alpha", "m": {"Acc": 72.5}}, {"name": "beta", "m": {"Acc": 71}}]),
    "columns and data": json.dumps({"columns": ["model", "Acc"], "data": [["alpha", 72.5], ["beta", 71]]}),
    "lists per column": json.dumps({"model": ["alpha", "beta"], "Acc": [72.5, 71]}),
    "html in values": json.dumps({"headers": ["M", "Acc"], "data": [["<a>alpha</a>", 72.5], ["[beta](y)", 71]]}),
    "json lines": f"{json.dumps(ALPHA)}\n{json.dumps(BETA)}\n",
    "javascript": SCRIPT,
    "javascript module": "export default [{model: `alpha`, Acc: 72.5}, {model: 'beta', Acc: 7.1e1}]",
    "semicolons and decimal commas": "model;Acc\nalpha;72,5\nbeta;71,0\n",
    "title above the table": "Results of 2026\n\nmodel,Acc\nalpha,72.5\nbeta,71\n",
    "percent signs and quotes": 'model,CI,Acc\nalpha,"(1.9, 2.0)",72.50%\nbeta,"(1, 2)",71%\n',
    "an index column": ",model,Acc\n0,alpha,72.5\n1,beta,71\n",
    "systems in columns": "metric,alpha,beta\nAcc,72.5,71\nF1,1,2\n",
    "yaml": "- model: alpha\n  Acc: 72.5\n  v: 1_0\n- {model: beta, Acc: 71, v: 0o7}\n",
}


@pytest.mark.parametrize("name", HTML)
def test_html(name: str) -> None:
    assert top(read(HTML[name], "Acc")) == [("alpha", 72.5), ("beta", 71.0)]


@pytest.mark.parametrize("name", MARKDOWN)
def test_markdown(name: str) -> None:
    assert top(read(MARKDOWN[name], "Acc")) == [("alpha", 72.5), ("beta", 71.0)]


@pytest.mark.parametrize("name", DATA)
def test_data(name: str) -> None:
    assert top(read(DATA[name], "Acc")) == [("alpha", 72.5), ("beta", 71.0)]


ROW_NAMES = "Acc,params,layers\nalpha,72.5,7,32\nbeta,71,13,40\n"
"""Names without a header, as R writes them, and whole numbers side by side."""


def test_row_names_beside_whole_numbers_are_names_where_the_metric_would_be_text_otherwise() -> None:
    board = read(ROW_NAMES, "Acc", method="csv")
    assert top(board) == [("alpha", 72.5), ("beta", 71.0)]
    assert board.entries[0].metrics == {"params": 7.0, "layers": 32.0}
    assert top(read(ROW_NAMES, "Acc")) == top(board)


def test_row_names_beside_whole_numbers_are_names_where_the_spec_says_so() -> None:
    text = "params,layers,Acc\nalpha,7,32,72\nbeta,13,40,71\n"
    with pytest.raises(
        ReadRefused, match=r"every row has 4 cells for 3 columns.*columns: \{system: \"\"\}.*decimal"
    ) as no:
        read(text, "Acc", method="csv")
    assert no.value.reason_code is Reason.TOO_MANY_REJECTED
    for given in ({"columns": {"system": ""}}, {"decimal": "."}):
        board = read(text, "Acc", method="csv", **given)
        assert top(board) == [("alpha", 72.0), ("beta", 71.0)]
        assert board.entries[1].metrics == {"params": 13.0, "layers": 40.0}


def test_decimal_commas_that_were_cut_in_two_are_no_row_names() -> None:
    for text in ("model,Acc\nalpha,72,5\nbeta,71,0\n", "Acc,model\n72,5,alpha\n71,0,beta\n"):
        with pytest.raises(ReadRefused, match="every row has 3 cells for 2 columns"):
            read(text, "Acc", method="csv")


@pytest.mark.parametrize("encoding", ["utf-8-sig", "utf-16", "utf-32", "latin-1", "cp1252"])
def test_encodings(encoding: str) -> None:
    board = read("model,Précision\nréseau,72.5\nbeta,71\n".encode(encoding), "Précision")
    assert top(board) == [("réseau", 72.5), ("beta", 71.0)]


def test_yaml_names_are_texts() -> None:
    text = "- {model: no, Acc: 3}\n- {model: 4, Acc: 2}\n- {model: 1e3, Acc: 1}\n- {model: null, Acc: 0.5}\n"
    board = read(text, "Acc", columns={"system": "model"})
    assert [e.system for e in board.entries] == ["no", "4", "1e3", "—"]
    assert "1 scored rows have no name" in board.warnings


@pytest.mark.parametrize("method", ["yaml", "api"])
def test_a_score_given_twice_is_no_score(method: str) -> None:
    rows = [f'{{"model": "m{i}", "Acc": {i}}}' for i in range(20)] + ['{"model": "twice", "Acc": 1, "Acc": 99}']
    text = "[" + ",".join(rows) + "]" if method == "api" else "".join(f"- {row}\n" for row in rows)
    board = read(text, "Acc")
    assert "twice" not in [e.system for e in board.entries]
    assert any("twice" in w and "is given twice" in w for w in board.warnings)


def test_aliases_cannot_multiply_a_document() -> None:
    bomb = "a: &a [x, x, x, x, x, x, x, x, x]\n" + "".join(
        f"{chr(98 + i)}: &{chr(98 + i)} [{', '.join([f'*{chr(97 + i)}'] * 9)}]\n" for i in range(8)
    )
    with pytest.raises(ReadRefused) as caught:
        read(bomb, "Acc", "yaml")
    assert caught.value.reason_code is Reason.MALFORMED


def test_two_boards_on_a_page_are_not_chosen_between() -> None:
    page = html("<td>a</td><td>1</td>") + "<h2>Second</h2>" + html("<td>b</td><td>2</td>")
    with pytest.raises(ReadRefused, match=r"table 1 .*table 2 'Second'") as caught:
        read(page, "Acc")
    assert caught.value.reason_code is Reason.AMBIGUOUS_TABLE
    assert top(read(page, "Acc", locate={"table": 2})) == [("b", 2.0)]
    assert top(read(page, "Acc", locate={"heading": "Second", "table": 1})) == [("b", 2.0)]


def test_css_finds_a_table_or_what_holds_it() -> None:
    page = f"<div id=val>{html('<td>a</td><td>1</td>')}</div><div id=test>{html('<td>b</td><td>2</td>')}</div>"
    assert top(read(page, "Acc", locate={"css": "#test table"})) == [("b", 2.0)]
    assert top(read(page, "Acc", locate={"css": "#val"})) == [("a", 1.0)]
    with pytest.raises(ReadRefused, match="selects no table"):
        read(page, "Acc", locate={"css": "table#none"})
    with pytest.raises(ReadRefused, match="not a CSS selector"):
        read(page, "Acc", locate={"css": "table[["})


def test_jsonpath_and_its_mistakes() -> None:
    data = json.dumps(
        {"boards": [{"name": "A", "r": [{"m": "a", "s": 1}]}, {"name": "B", "r": [{"m": "b", "s": 2}]}]}
    )
    path = "$.boards[?(@.name=='B')].r[*]"
    assert top(read(data, "s", "api", locate={"jsonpath": path}, columns={"system": "m"})) == [("b", 2.0)]
    for wrong in ("$.nothing[*]", "$..[", "$.boards[?("):
        with pytest.raises(ReadRefused) as caught:
            read(data, "s", "api", locate={"jsonpath": wrong})
        assert caught.value.reason_code is Reason.LOCATOR_MISSED


def test_a_header_left_empty_is_a_column_too() -> None:
    page = html("<td>1</td><td>a</td><td>71</td>", head="<th></th><th>Model</th><th></th>")
    assert top(read(page, "")) == [("a", 71.0)]


def test_intervals_become_standard_errors() -> None:
    text = 'model,Acc,CI\na,82.6,"(80.6, 84.6)"\nb,79.0,"(-2.1, +1.3)"\n'
    board = read(text, "Acc", columns={"system": "model", "score": "Acc", "interval": "CI"})
    assert [round(e.stderr or 0, 3) for e in board.entries] == [1.02, 1.071]


def test_derived_scores() -> None:
    long = "model,category,s\na,x,1\na,x,3\na,y,5\nb,x,4\nb,y,4\nb,y,6\nc,x,9\n"
    board = read(long, "s", "csv", derive={"mean_by": {"group": "category", "of": "s"}})
    assert (top(board), board.unscored) == ([("b", 4.5), ("a", 3.5)], ["c"])
    wide = "model,p,q,r\na,1,2,6\nb,3,,9\n"
    assert top(read(wide, "avg", "csv", derive={"mean": ["p", "q"]})) == [("a", 1.5)]
    assert top(read(wide, "avg", "csv", derive={"mean": {"P": ["p", "q"], "R": ["r"]}})) == [("a", 3.75)]
    best = "team,model,s\nT,a,1\nT,b,3\nU,c,2\n"
    assert top(read(best, "s", "csv", columns={"system": "team"}, derive={"best_per": "system"})) == [
        ("T", 3),
        ("U", 2),
    ]


def test_baselines_are_pointed_out_and_excluded_on_request() -> None:
    text = "model,type,Acc\nHuman Performance,human,90\na,ai,70\nRandom,none,10\n"
    assert any("Human Performance" in w and "Random" in w for w in read(text, "Acc").warnings)
    assert top(read(text, "Acc", exclude={"rows": "(?i)^(human|random)"})) == [("a", 70.0)]
    where = {"where": {"column": "type", "in": ["human", "none"]}}
    assert top(read(text, "Acc", exclude=where)) == [("a", 70.0)]


def test_the_mark_of_a_markdown_footnote_is_no_part_of_a_name_or_score():
    text = (
        "| Model[^m] | WER |\n|---|---|\n| **Whisp**[^1] | 2.1[^private] |\n| Zip | 2.4 |\n| [x](u) | 3[^1][^2] |\n"
    )
    assert top(read(text, "WER", higher=False)) == [("Whisp", 2.1), ("Zip", 2.4), ("x", 3.0)]


@pytest.mark.parametrize("link", ["[[paper]](http://x.org)", "[[Code]](u) [[PDF]](v)", "\\[GitHub\\]"])
def test_a_link_in_brackets_behind_a_name_is_no_part_of_it(link):
    text = f"| Model | Acc |\n|---|---|\n| alpha {link} | 72.5 |\n| beta | 71 |\n"
    assert top(read(text, "Acc")) == [("alpha", 72.5), ("beta", 71.0)]


def test_two_names_that_differ_in_a_bracketed_word_stay_apart():
    text = "| Model | Acc |\n|---|---|\n| alpha [code] | 72.5 |\n| alpha | 71 |\n"
    assert top(read(text, "Acc")) == [("alpha [code]", 72.5), ("alpha", 71.0)]


NESTED = [
    {"team": {"name": "Aurora"}, "runs": {"best": {"scores": {"f1": 80.4, "em": 71.2}}}},
    {"team": {"name": "Knot"}, "runs": {"best": {"scores": {"f1": 79.9, "em": 73.9}}}},
]


@pytest.mark.parametrize("around", [lambda rows: rows, lambda rows: {"tracks": {"closed": {"entries": rows}}}])
def test_the_objects_of_a_record_are_no_boards_beside_the_records(around):
    assert top(read(json.dumps(around(NESTED)), "f1")) == [("Aurora", 80.4), ("Knot", 79.9)]


def test_one_object_around_all_systems_is_no_board_beside_them():
    keyed = {"results": {"hare": {"loss": 14.1, "n": 2}, "tortoise": {"loss": 12.4, "n": 1}}}
    assert top(read(json.dumps(keyed), "loss", higher=False)) == [("tortoise", 12.4), ("hare", 14.1)]


def test_two_boards_of_keyed_systems_are_still_two():
    boards = {"dev": {"a": {"f1": 1.0}, "b": {"f1": 2.0}}, "test": {"a": {"f1": 3.0}, "b": {"f1": 1.0}}}
    with pytest.raises(ReadRefused) as refused:
        read(json.dumps(boards), "f1")
    assert refused.value.reason_code is Reason.AMBIGUOUS_TABLE


@pytest.mark.parametrize("name", ["Error (mm)", "Error [MM] ↓", "Error"])
def test_a_cell_without_a_unit_has_the_header_s_or_the_declared_one(name):
    text = f"| Model | {name} |\n|---|---|\n| alpha | 41.3 |\n| beta | 51.9 mm |\n"
    declared = {} if "(" in name or "[" in name else {"unit": "mm"}
    board = read(text, name, higher=False, **declared)
    assert top(board) == [("alpha", 41.3), ("beta", 51.9)]
    assert any("1 of 2 cells lack the unit; taken for mm" in warning for warning in board.warnings)


def test_a_bare_time_is_in_the_header_s_unit_and_all_are_converted():
    text = "| Model | Time (min) |\n|---|---|\n| alpha | 90 |\n| beta | 2 h |\n| gamma | 30 min |\n"
    assert top(read(text, "Time (min)", higher=False)) == [("gamma", 30.0), ("alpha", 90.0), ("beta", 120.0)]


def test_a_bare_cell_among_units_that_nothing_names_is_refused():
    with pytest.raises(ReadRefused) as refused:
        read("| Model | Error |\n|---|---|\n| alpha | 41.3 |\n| beta | 51.9 mm |\n", "Error", higher=False)
    assert refused.value.reason_code is Reason.AMBIGUOUS_NUMBER
