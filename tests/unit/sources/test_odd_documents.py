"""Documents with the oddities of real boards: read right with a spec and without, or refused for the right reason."""

from __future__ import annotations

import random
from typing import Any

import pytest
from tests.unit.sources.mutations import mutate

from auto_benchmark.registry.leaderboard import Leaderboard
from auto_benchmark.sources.html_table import parse
from auto_benchmark.sources.read import read_board
from auto_benchmark.tables.refusal import ReadRefused, Reason


def ranking(text: str | bytes, method: str, metric: str, **spec: Any) -> list[tuple[str, float | None]]:
    given = {"name": "B", "url": "b", "scrape_method": method, "primary_metric": metric, "higher_is_better": True}
    content = text.encode() if isinstance(text, str) else text
    board = read_board(content, Leaderboard.model_validate(given | spec), source="page")
    return [(e.system, e.score) for e in board.entries]


def table(*rows: str, head: str = "<th>Model</th><th>Acc</th>") -> str:
    return f"<table><tr>{head}</tr>{''.join(f'<tr>{row}</tr>' for row in rows)}</table>"


A_OVER_B = [("A", 90.0), ("B", 80.0)]
READ: dict[str, tuple[str | bytes, str, list[tuple[str, float]]]] = {
    "two header rows without spans": (
        "<table><thead><tr><th></th><th>Dev</th><th>Test</th></tr><tr><th>Model</th><th>F1</th><th>F1</th></tr></thead>"
        "<tr><td>A</td><td>1</td><td>80</td></tr><tr><td>B</td><td>2</td><td>90</td></tr></table>",
        "Test F1",
        [("B", 90.0), ("A", 80.0)],
    ),
    "units in a second header row": (
        "<table><thead><tr><th>Model</th><th>F1</th></tr><tr><th></th><th>(%)</th></tr></thead>"
        "<tr><td>A</td><td>90</td></tr><tr><td>B</td><td>80</td></tr></table>",
        "F1",
        A_OVER_B,
    ),
    "names of groups between the rows": (
        table(
            "<th colspan=2>Open</th>", "<td>A</td><td>90</td>", "<th colspan=2>Closed</th>", "<td>B</td><td>80</td>"
        ),
        "Acc",
        A_OVER_B,
    ),
    "a name over two columns": (
        table(
            "<td colspan=2>A</td><td>90</td>",
            "<td>B</td><td>7B</td><td>80</td>",
            head="<th>Model</th><th>Size</th><th>Acc</th>",
        ),
        "Acc",
        A_OVER_B,
    ),
    "an organisation over two rows": (
        table(
            "<td rowspan=2>Org</td><td>A</td><td>90</td>",
            "<td>B</td><td>80</td>",
            head="<th>Org</th><th>Model</th><th>Acc</th>",
        ),
        "Acc",
        A_OVER_B,
    ),
    "hidden columns and rows, however they are spelt": (
        "<table><tr><th>Model</th><th style='display:none'>Acc</th><th>Acc</th></tr>"
        "<tr><td>A</td><td style='DISPLAY: NONE'>1</td><td>90</td></tr>"
        "<tr\nhidden><td>X</td><td style='display:none'>1</td><td>99</td></tr>"
        "<tr class='d-none'><td>Y</td><td>1</td><td>98</td></tr>"
        "<tr class='d-none d-md-table-row'><td>B</td><td style='display:none'>2</td><td>80</td></tr></table>",
        "Acc",
        A_OVER_B,
    ),
    "labels that only telephones show": (
        table(
            *(
                f'<td><i class="d-md-none">Model:</i> {n}</td><td><b class="md:hidden">Acc:</b> {s}</td>'
                for n, s in A_OVER_B
            )
        ),
        "Acc",
        A_OVER_B,
    ),
    "rows that come back on larger screens": (
        table("<td>A</td><td>90</td>", "<td>B</td><td>80</td>").replace(
            "<tr><td>B", '<tr class="d-sm-none d-lg-table-row"><td>B'
        ),
        "Acc",
        A_OVER_B,
    ),
    "rows in comments": (
        table("<td>A</td><td>90</td>", "<td>B<!-- v0 --></td><td><!--99-->80</td>").replace(
            "</table>", "<!-- <tr><td>Z</td><td>99</td></tr> --></table>"
        ),
        "Acc",
        A_OVER_B,
    ),
    "names over several source lines, with links, marks and footnotes": (
        table(
            "<td>\n  Big\n  <a href=x>Model</a> <sup>1</sup><p>Org</p></td><td><b>90</b><sup>2</sup></td>",
            "<td>🥈 <em>B</em><br>(Smith)</td><td><s>99</s> 80 *</td>",
        ),
        "Acc",
        [("Big Model", 90.0), ("B", 80.0)],
    ),
    "tags left open": ("<TABLE><TR><TH>Model<TH>Acc<TR><TD>A<TD>90<TR><TD>B<TD>80</TABLE>", "Acc", A_OVER_B),
    "a footer that repeats the header": (
        "<table><thead><tr><th>Model</th><th>Acc</th></tr></thead><tfoot><tr><td>Model</td><td>Acc</td></tr></tfoot>"
        "<tbody><tr><td>A</td><td>90</td></tr><tr><td>B</td><td>80</td></tr></tbody></table>",
        "Acc",
        A_OVER_B,
    ),
    "a script with bare keys, addresses and trailing commas": (
        "window.B = {results: [{name: 'A', acc: 90.0, link: 'https://x//y'}, {name: \"B\", acc: 80,},], // end\n};",
        "acc",
        A_OVER_B,
    ),
    "JSON inside a string inside a page": (
        '<html><script>const d = JSON.parse(\'[{"model":"A","acc":90},{"model":"B","acc":80}]\');</script></html>',
        "acc",
        A_OVER_B,
    ),
    "JSON with NaN": ('[{"model":"A","acc":90},{"model":"B","acc":80},{"model":"C","acc":NaN}]', "acc", A_OVER_B),
    "JSON rows of objects under a header of objects": (
        '[{"header":[{"value":"Model"},{"value":"acc"}],'
        '"rows":[[{"value":"A"},{"value":90}],[{"value":"B"},{"value":80}]]}]',
        "acc",
        A_OVER_B,
    ),
    "JSON with an id beside the name": (
        '[{"id":"x-1","name":"A","acc":90},{"id":"x-2","name":"B","acc":80}]',
        "acc",
        A_OVER_B,
    ),
    "JSON in a call": ('/**/ show([{"model":"A","acc":90},{"model":"B","acc":80}]);', "acc", A_OVER_B),
    "JSON behind a guard": (')]}\'\n[{"model":"A","acc":90},{"model":"B","acc":80}]', "acc", A_OVER_B),
    "one JSON record a line": ('{"model":"A","acc":90}\n{"model":"B","acc":80}\n', "acc", A_OVER_B),
    "markup inside JSON strings": (
        '[{"Model":"<a href=\\"x\\">A</a>","acc":"<b>90</b><sup>1</sup>"},{"Model":"[B](y)","acc":"80"}]',
        "acc",
        A_OVER_B,
    ),
    "CSV with byte-order mark, semicolons and decimal commas": (
        b"\xef\xbb\xbfModell;Acc;Jahr\r\nA;90,25;2020\r\nB;80,5;2021\r\n",
        "Acc",
        [("A", 90.25), ("B", 80.5)],
    ),
    "CSV in Latin-1": (
        "Modell;Acc\nÄlan;90,25\nBêta;80,5\n".encode("latin-1"),
        "Acc",
        [("Älan", 90.25), ("Bêta", 80.5)],
    ),
    "CSV of exported cells": (
        'Model,Acc\n"<a href=""x"">A</a>",90\n[B](y),80\n',
        "Acc",
        A_OVER_B,
    ),
    "CSV with names that mean nothing to pandas": (
        "Model,Acc\nNone,90\nNA,80\n",
        "Acc",
        [("None", 90.0), ("NA", 80.0)],
    ),
    "CSV with an index column": (",Model,Acc\n0,A,90\n1,B,80\n", "Acc", A_OVER_B),
    "Markdown without outer pipes": ("Model | Acc\n--- | ---:\nA | **90**\n[B](x) | 80\n", "Acc", A_OVER_B),
    "Markdown in a quotation": ("> | Model | Acc |\n> |---|---|\n> | A | 90 |\n> | B | 80 |\n", "Acc", A_OVER_B),
    "Markdown with a footnote behind bold": (
        "| Model | Acc |\n|-|-|\n| A | <b>90</b><sup>1</sup> |\n| B | 80 |\n",
        "Acc",
        A_OVER_B,
    ),
    "YAML names that are booleans and dates": (
        "- {model: no, acc: 90}\n- {model: 2024-01-01, acc: 80}\n",
        "acc",
        [("no", 90.0), ("2024-01-01", 80.0)],
    ),
    "YAML numbers with underscores": (
        "- {model: A, acc: 1_000}\n- {model: B, acc: 999.5}\n",
        "acc",
        [("A", 1000.0), ("B", 999.5)],
    ),
    "YAML with merge keys": (
        "base: &b {acc: 90, model: X}\nrows:\n- {<<: *b, model: A}\n- {model: B, acc: 80}\n",
        "acc",
        A_OVER_B,
    ),
}
METHODS = {
    "<": "html_table", "[": "api", "{": "api", "w": "api", "-": "yaml", "b": "yaml", "|": "markdown", ">": "markdown"
}  # fmt: skip


def method_of(name: str, text: str | bytes) -> str:
    first = text[:1] if isinstance(text, str) else ""
    if name.startswith("JSON"):
        return "api"
    return "csv" if name.startswith("CSV") else "markdown" if name.startswith("Markdown") else METHODS[first]


@pytest.mark.parametrize("name", READ)
@pytest.mark.parametrize("auto", [False, True])
def test_read_right(name: str, auto: bool) -> None:
    text, metric, expected = READ[name]
    assert ranking(text, "auto" if auto else method_of(name, text), metric) == expected


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        (table("<td>A</td><td>1 (90.1)</td>", "<td>B</td><td>2 (85.2)</td>"), Reason.AMBIGUOUS_NUMBER),
        (table("<td>A</td><td>90 %</td>", "<td>B</td><td>0.8</td>"), Reason.AMBIGUOUS_NUMBER),
        ('[{"m":"A","Acc":0.715},{"m":"B","Acc":"72.5%"}]', Reason.AMBIGUOUS_NUMBER),
        (table("<td>A</td><td>3/4</td>", "<td>B</td><td>5/10</td>"), Reason.AMBIGUOUS_NUMBER),
        ("model,Acc\nA,90,5\nB,80,5\n", Reason.TOO_MANY_REJECTED),
        ("| Model | Params | Acc |\n|-|-|-|\n| 4 | 7B | 3 |\n| 5 | 8B | 4 |\n", Reason.COLUMN_MISSING),
        ("model,item,Acc\nA,1,0\nA,2,1\nB,1,1\nB,2,1\n", Reason.AMBIGUOUS_COLUMN),
        ("model,Acc\n", Reason.NO_SCORED_ROWS),
        (table("<td>A</td><td>90<b class=badge>new</b></td>", "<td>B</td><td>80</td>"), Reason.AMBIGUOUS_NUMBER),
        (table("<td>A</td><td>-</td>", "<td>B</td><td></td>"), Reason.NO_SCORED_ROWS),
        ("- {model: A, Acc: 12:30}\n- {model: B, Acc: 1:20}\n", Reason.TOO_MANY_REJECTED),
        ('[{"m":"A","Acc":1,"Acc":2},{"m":"B","Acc":3}]', Reason.TOO_MANY_REJECTED),
        (table("<td>A</td><td>90</td>") * 2, Reason.AMBIGUOUS_TABLE),
        ("<html><title>503 Service Unavailable</title><body><h1>x</h1></body></html>", Reason.ERROR_PAGE),
        (table(head="<th>Model</th><th>Acc</th>") + "<script src=a></script>", Reason.DRAWN_BY_JAVASCRIPT),
        (bytes(range(256)), Reason.WRONG_FORMAT),
        ("", Reason.NO_SCORED_ROWS),
    ],
)
def test_refused_for_the_right_reason(text: str | bytes, reason: Reason) -> None:
    with pytest.raises(ReadRefused) as caught:
        ranking(text, "auto", "Acc")
    assert caught.value.reason_code is reason


def test_a_page_read_only_as_far_as_needed_gives_the_same_table() -> None:
    """Damaged pages too: what follows the wanted table cannot change it."""
    whole = "".join(
        f"<h2>Year {year}</h2>" + table(*(f"<td>m{i}{inner}</td><td>{i}.5</td>" for i in range(60)))
        for year, inner in ((1, ""), (2, "<table><tr><td>x</td></tr></table>"), (3, "<p>Org</p>"))
    )
    rng = random.Random(7)
    compared = 0
    for page in (whole, *(mutate(whole.encode(), rng).decode("utf-8", "replace") for _ in range(25))):
        every = parse(page)
        for number, expected in enumerate(every[:4], start=1):
            found = parse(page, only=number)[number - 1]
            assert (found.columns, found.rows, found.rejected) == (expected.columns, expected.rows, expected.rejected)
            assert (found.headings, found.label) == (expected.headings, expected.label)
            compared += 1
    assert compared > 40


def test_a_rule_behind_a_markdown_table_is_no_row_of_it() -> None:
    from auto_benchmark.sources.markdown import parse

    for rule in ("---", "***", " _ _ _ "):
        [table] = parse(f"| Model | Acc |\n|---|---|\n| A | 90 |\n{rule}\nand text\n")
        assert (table.rows, table.rejected) == ([["A", "90"]], [])
