"""How people write numbers, one way a line: read as meant, or refused because it could mean something else."""

from __future__ import annotations

import pytest

from auto_benchmark.sources.html_table import parse
from auto_benchmark.tables.refusal import ReadRefused
from auto_benchmark.tables.score_column import read_score_column

NBSP, THIN, NARROW = "\u00a0", "\u2009", "\u202f"


@pytest.mark.parametrize(
    ("cells", "values"),
    [
        # thousands that no decimal sign could be mistaken for
        ([f"1{NBSP}024.5"], [1024.5]),
        ([f"1{THIN}024,5"], [1024.5]),
        ([f"1{NARROW}234{NARROW}567"], [1234567.0]),
        ([f"12{NBSP}345 %"], [12345.0]),
        (["1'024.5", "1’024"], [1024.5, 1024.0]),
        (["1’024,5"], [1024.5]),
        (["1,234,567", "1,234"], [1234567.0, 1234.0]),
        (["1.234.567", "1.234"], [1234567.0, None]),
        # decimal commas, proven by the column
        (["71,2", "70,15"], [71.2, 70.15]),
        (["71,2 %", "70.1 %"], [71.2, 70.1]),
        (["71,2 ± 0,3"], [71.2]),
        (["€1.234,50", "€99,5"], [1234.5, 99.5]),
        (["0,123", "0,5"], [0.123, 0.5]),
        # signs
        (["\u22122.5", "\u20132.5", "-2.5", "+2.5"], [-2.5, -2.5, -2.5, 2.5]),
        # per cent, marks, footnotes, struck-out remarks
        (["71.2 %", f"70.1{NBSP}%", "69%"], [71.2, 70.1, 69.0]),
        (["71.2†", "70.1*", "69.5‡§", "68¹", "67ᵃ", "66 [3]", "65^(b)"], [71.2, 70.1, 69.5, 68.0, 67.0, 66.0, 65.0]),
        (["**71.2**", "`70.1`", "\\textbf{69.5}", "$\\mathbf{68.1}$"], [71.2, 70.1, 69.5, 68.1]),
        (["🥇 71.2", "↑ 70.1", "69.5 ↓"], [71.2, 70.1, 69.5]),
        # intervals in brackets
        (["71.2 (70.1–72.3)", "70.9 [69.8, 72.0]", "70.1 (±0.4)"], [71.2, 70.9, 70.1]),
        (["1287 +5/-4", "1280 (-3, +4)"], [1287.0, 1280.0]),
        (["90.1 (1)", "88.1 (2)", "84 (3)"], [90.1, 88.1, 84.0]),
        (["3 (75%)", "1 (25%)", "4 (100%)", "2 (50%)"], [3.0, 1.0, 4.0, 2.0]),
        # x/y
        (["60/100", "55/100"], [60.0, 55.0]),
        (["93.0/90.7", "92.7/90.3"], [93.0, 92.7]),
    ],
)
def test_read_as_meant(cells: list[str], values: list[float | None]) -> None:
    assert [s.value for s in read_score_column(cells, name="s").scores] == values


@pytest.mark.parametrize(
    "cell",
    [
        "3,395",  # three thousand or three point four
        "1 234",  # one number or two
        "12 34",
        f"12{NBSP}34",
        f"1{NBSP}234'567",  # two kinds of grouping
        "71.2'345",
        "1234'567",
        "12’34",
        "1,23,456",
        "71.2 70.1",
        "71.2, 70.1",
        "71.2–72.3",  # a range
        "<71.2",
        "≥ 90",
        "(71.2)",  # negative to an accountant
        "10³",  # a thousand, or ten with a footnote
        "10^3",
        "2⁻³",
        "1×10^3",
        "01/02/2024",
        "2024-01-02",
        "12:30",
        "1h 30m",
        "1st",
        "#1",
        "½",
        "７１.２",
        "٧١٫٢",
        "—71.2",
        "71.2⅓",
        "1e999",
    ],
)
def test_refused_where_it_could_mean_something_else(cell: str) -> None:
    (score,) = read_score_column([cell], name="s").scores
    assert score.value is None
    assert score.problem


@pytest.mark.parametrize(
    "cells",
    [
        ["3/4", "5/10"],  # three of four is more than five of ten
        ["90/100", "45/50", "1/2"],
        ["93.0/90.7", "92.7/91.3"],
        ["93.0/90.7", "92.7"],
        ["1 (90.1)", "2 (90.1)", "3 (84)"],  # ranks, one of them by a rounded tie
        ["1 (90.1)", "1 (90.1)", "2 (84)"],
        ["2 (90.1 ± 0.3)", "1 (95.1 ± 0.2)"],
        ["1 (90.1)", "2 (88)", "3"],
        ["71.2 %", "0.70"],
        ["5 h", "1 min"],
        ["$3", "€4"],
    ],
)
def test_refused_where_the_cells_do_not_compare(cells: list[str]) -> None:
    with pytest.raises(ReadRefused):
        read_score_column(cells, name="s")


def test_the_space_that_groups_thousands_survives_html_and_no_other_does() -> None:
    (table,) = parse(
        "<table><tr><th>Model&nbsp;name</th><th>Score</th></tr>"
        "<tr><td>a&nbsp; b\n c</td><td>&nbsp;1&nbsp;234</td></tr></table>"
    )
    assert table.columns == ["Model name", "Score"]
    assert table.rows == [["a b c", f"1{NBSP}234"]]
