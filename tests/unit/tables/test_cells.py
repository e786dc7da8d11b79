"""Score cells and columns, names, column names, markup."""

from __future__ import annotations

import random

import pytest

from auto_benchmark.tables.columns import find
from auto_benchmark.tables.interval import half_width
from auto_benchmark.tables.markup import plain
from auto_benchmark.tables.naming import identity, name_of, tidy
from auto_benchmark.tables.refusal import ReadRefused
from auto_benchmark.tables.score_column import read_score_column
from auto_benchmark.tables.system_column import guess_system_column
from auto_benchmark.tables.table import Table


def values(*cells: object, **options: object) -> list[float | None]:
    return [s.value for s in read_score_column(cells, name="s", **options).scores]  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("cell", "value"),
    [
        ("71.2", 71.2),
        (" 71.2 % ", 71.2),
        ("**71.2**", 71.2),
        ("71.2†", 71.2),
        ("71.2 (1st)", 71.2),
        ("17.1(16.1 with dynamic evaluation)", 17.1),
        ("71.2 [70.1, 72.3]", 71.2),
        ("71.2 ± 0.3 %", 71.2),
        ("1287 +5/-4", 1287.0),
        ("71.2^(1)", 71.2),
        ("71.2¹", 71.2),
        ("~257M", 257.0),
        ("$4.38", 4.38),
        ("−2.5", -2.5),
        ("–2.5", -2.5),
        ("1e-3", 0.001),
        (".823", 0.823),
        ("1'024.5", 1024.5),
        ("12 tok/s", 12.0),
        (71, 71.0),
        (0.5, 0.5),
        ("0", 0.0),
    ],
)
def test_one_number(cell: object, value: float) -> None:
    assert values(cell) == [value]


@pytest.mark.parametrize(
    "cell",
    [
        "<4K",
        "> 90",
        "2024-10-11",
        "1.2.3",
        "1st",
        "v2.0",
        "12:30",
        "0x1F",
        "71.2 72.3",
        "about 70",
        "70-72",
        "1,2,3",
        True,
        "71.2↑2.1",
        "1_0",
        "٣٫١٤",
        "½",
        "Ⅳ",
        "7１.2",
        "71.2abc def",
        "NaN%",
        "1e999",
        [1],
        "7 or 8",
        "12/",
        "‡.5",
    ],
)
def test_no_guess_where_a_cell_holds_something_else(cell: object) -> None:
    column = read_score_column([cell], name="s")
    assert column.scores[0].value is None
    assert column.scores[0].problem or cell == "NaN%"


@pytest.mark.parametrize(
    "cell",
    [
        "",
        "-",
        "–",
        "N/A",
        "n/a*",
        "TBD",
        "withdrawn",
        "see paper",
        None,
        "NaN",
        "inf",
        float("nan"),
        "**—**",
        "?",
        "\\",
    ],
)
def test_missing(cell: object) -> None:
    (score,) = read_score_column([cell], name="s").scores
    assert (score.value, score.problem) == (None, None)


@pytest.mark.parametrize(
    ("cells", "expected"),
    [
        (["53,2", "61.5", "1.024,5"], [53.2, 61.5, 1024.5]),
        (["3,395", "1,024.5"], [3395.0, 1024.5]),
        (["3,395", "53,2"], [3.395, 53.2]),
        (["3,395", "1,234,567"], [3395.0, 1234567.0]),
        (["0,395"], [0.395]),
        (["3,395"], [None]),
        (["1.234", "53,2"], [None, 53.2]),
        (["1.234", "5.5"], [1.234, 5.5]),
        (["1.234.567", "12,5"], [1234567.0, 12.5]),
        (["3,395", "53,2", "1,024.5"], [None, None, 1024.5]),
        (["12,34,567"], [None]),
    ],
)
def test_the_column_decides_what_a_comma_is(cells: list[str], expected: list[float | None]) -> None:
    assert values(*cells) == expected


def test_units_are_converted_or_refused() -> None:
    assert values("5.8 hours", "29.3 minutes", "25.95 minutes*") == [348.0, 29.3, 25.95]
    assert values("90 s", "2 min", unit="minutes") == [1.5, 2.0]
    assert values("7B", "350M") == [7e9, 350e6]
    assert values("7B", "70B") == [7.0, 70.0]
    for mixed in (["5 hours", "3"], ["1 h", "1 min"], ["77%", "0.7"], ["3 points", "4 dB"], ["$3", "€4"]):
        with pytest.raises(ReadRefused):
            values(*mixed)
    assert values("77%", "70") == [77.0, 70.0]


def test_parts() -> None:
    assert values("93.0/90.7", "92.7/90.3") == [93.0, 92.7]
    assert values("60/100", "55/100") == [60.0, 55.0]
    assert values("93.0/90.7", "92.7/91.3", part=2) == [90.7, 91.3]
    for several in (["93.0/90.7", "92.7/91.3"], ["93.0/90.7", "92.7"]):
        with pytest.raises(ReadRefused, match="part"):
            values(*several)


def test_errors_and_notes_are_kept() -> None:
    (score,) = read_score_column(["0.8428 ± 0.0014*"], name="s").scores
    assert (score.value, score.stderr, score.note) == (0.8428, 0.0014, "*")


def test_whatever_is_read_was_written() -> None:
    """Random garbage around a number is either accounted for or refused."""
    rng = random.Random(4)
    for _ in range(3000):
        text = "".join(rng.choice("0123456789.,-+%/() *eE_±k\u00a0<>") for _ in range(rng.randint(1, 9)))
        try:
            (value,) = values(text)
        except ReadRefused:
            continue
        if value is not None and "e" not in text.lower():
            digits = [c for c in text if c.isdigit()]
            shown = [c for c in f"{abs(value):.15g}" if c.isdigit() and c != "0"]
            assert set(shown) <= set(digits), (text, value)


@pytest.mark.parametrize(
    ("cell", "name"),
    [
        ("🥇 alpha", "alpha"),
        ("alpha\nOrg\n(Smith et al.)", "alpha"),
        ("\n  \nalpha  beta\n", "alpha beta"),
        ("None", "None"),
        (4, "4"),
        (None, ""),
        (True, ""),
        ("a\u200bb\u00ad", "ab"),
        ("δ-модель 模型", "δ-модель 模型"),
    ],
)
def test_names(cell: object, name: str) -> None:
    assert name_of(cell) == name


def test_footnote_marks_go_unless_they_keep_names_apart() -> None:
    assert tidy(["alpha*", "beta†", "gamma[1]", "delta^(2)"]) == [
        ("alpha", "*"),
        ("beta", "†"),
        ("gamma", "[1]"),
        ("delta", "^(2)"),
    ]
    assert [n for n, _ in tidy(["alpha", "alpha*"])] == ["alpha", "alpha*"]
    assert [n for n, _ in tidy(["1. a", "2. b"])] == ["a", "b"]
    assert [n for n, _ in tidy(["3. a", "2. b"])] == ["3. a", "2. b"]


@pytest.mark.parametrize(
    ("names", "shown"),
    [
        (["alpha (A et al., 2019)♦", "beta"], ["alpha (A et al., 2019)", "beta"]),
        (["alpha ♦", "beta ◇"], ["alpha", "beta"]),
        (["alpha♦", "beta♣†", "gamma^(♥)"], ["alpha", "beta", "gamma"]),
        (["alpha", "Team♥"], ["alpha", "Team♥"]),
        (["I ♥ ML", "♥ beta"], ["I ♥ ML", "♥ beta"]),
        (["alpha♦", "alpha", "beta♦"], ["alpha♦", "alpha", "beta"]),
        (["A*", "C*", "LAMA"], ["A*", "C*", "LAMA"]),
        (["Lazy RRT*", "PRM*"], ["Lazy RRT*", "PRM*"]),
        (["GPT-4*", "C*"], ["GPT-4", "C"]),
        (["BERT *", "A*"], ["BERT", "A*"]),
        (["alpha∗", "beta＊"], ["alpha", "beta"]),
        (["alpha§", "beta ¶", "gamma²"], ["alpha", "beta", "gamma"]),
        (["U²-Net", "C#", "A+"], ["U²-Net", "C#", "A+"]),
    ],
)
def test_footnotes_are_told_from_names(names: list[str], shown: list[str]) -> None:
    assert [name for name, _ in tidy(names)] == shown


@pytest.mark.parametrize("mark", ["†", "‡", "§", "¶", "*", " *", "♦", " ♣", "♠♥", "◇", "∗"])
def test_a_mark_is_no_part_of_the_identity(mark: str) -> None:
    assert identity(f"alpha 2{mark}") == identity("alpha 2")


def test_identity() -> None:
    assert identity("GPT-4o (High)") == identity("gpt 4o high")
    assert identity("—") == "—"
    assert identity("A+") != identity("a")


def table(*columns: str, rows: list[list[object]] | None = None) -> Table:
    return Table(list(columns), rows or [[str(i) for i in range(len(columns))]])


@pytest.mark.parametrize(
    ("columns", "wanted", "index"),
    [
        (("Model", "Acc"), "acc", 1),
        (("Model", "Accuracy (%) ↑"), "Accuracy", 1),
        (("Model", "% Resolved"), "Resolved", 1),
        (("Ans / F1", "Joint / F1"), "Joint / F1", 1),
        (("Ans / EM", "Joint / F1"), "F1", 1),
        (("pass@1.humaneval", "pass@1.humaneval+"), "pass@1.humaneval+", 1),
        (("pass@1.humaneval", "pass@1.humaneval+"), "humaneval", 0),
        (("m.F1", "m.EM"), "F1", 0),
        (("Overall (%) / w/o CoT", "Overall (%) / w/ CoT"), "w/ CoT", 1),
        (("pass_rate_1", "pass_rate_2"), "pass rate 2", 1),
        (("Model", "Acc"), "F1", None),
    ],
)
def test_column_names(columns: tuple[str, ...], wanted: str, index: int | None) -> None:
    assert find(table(*columns), wanted) == index


def test_equal_columns_are_one_and_different_ones_are_refused() -> None:
    assert find(table("F1", "F1", rows=[["1", "1"]]), "F1") == 0
    with pytest.raises(ReadRefused, match="could be 2 columns"):
        find(table("F1", "F1", rows=[["1", "2"]]), "F1")


def test_the_system_column_is_found_by_its_looks() -> None:
    rows: list[list[object]] = [["1", "2026-01-01", f"model {i}", "https://x", "Org", f"{i}.5"] for i in range(6)]
    assert guess_system_column(table("#", "Date", "Entry name", "Link", "Org", "Acc", rows=rows), 5)[0] == 2
    numbers: list[list[object]] = [[str(i), str(i)] for i in range(5)]
    assert guess_system_column(table("a", "b", rows=numbers), 1)[0] is None


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("[a](http://x/(b(c)))", "a"),
        ("![img](x) **a** *b* ~~old~~ new", "a b new"),
        ("a_b_c and __d__", "a_b_c and d"),
        ("F<sub>1</sub>", "F_(1)"),
        ("<sup>**a**</sup>", "a"),
        ("a&nbsp;b &lt;c&gt;", "a b <c>"),
        ("a<br/>b", "a\nb"),
        ("`a|b` \\| \\*", "a|b | *"),
        ("a* (2019)* ***pre***", "a* (2019)* pre"),
        ("x <!-- hidden --> y", "x y"),
        ("[[1]](x) [not a link] (y)", "[1] [not a link] (y)"),
    ],
)
def test_markup(text: str, shown: str) -> None:
    assert plain(text) == shown


@pytest.mark.parametrize(
    ("cell", "score", "width"),
    [
        ("(80.6, 84.6)", 82.6, 2.0),
        ("+1.9/-2.0", 82.6, 2.0),
        ("± 1.5", 82.6, 1.5),
        ("[-2.1, 1.3]", 79.0, 2.1),
        ("n/a", 1.0, None),
        (0.4, 1.0, 0.4),
        (None, 1.0, None),
    ],
)
def test_intervals(cell: object, score: float, width: float | None) -> None:
    assert half_width(cell, score) == (None if width is None else pytest.approx(width))
