"""Faults that people who read leaderboards have reported. Each test states the right reading of a minimal input."""

import json

import pytest

from auto_benchmark.documents import parse_yaml, validate
from auto_benchmark.errors import ConfigError
from auto_benchmark.leaderboards.compare import compare
from auto_benchmark.leaderboards.history import Timeline
from auto_benchmark.leaderboards.plausibility import suspicions
from auto_benchmark.registry.leaderboard import Leaderboard
from auto_benchmark.sources.read import read_board
from auto_benchmark.tables.entry import Entry, ParsedBoard
from auto_benchmark.tables.refusal import ReadRefused, Reason


def spec(method: str = "auto", metric: str = "Score", higher: bool = True, **rest: object) -> Leaderboard:
    given = {
        "name": "B",
        "url": "b",
        "scrape_method": method,
        "primary_metric": metric,
        "higher_is_better": higher,
        **rest,
    }
    return Leaderboard.model_validate(given)


def read(text: str, method: str = "auto", metric: str = "Score", higher: bool = True, **rest: object) -> ParsedBoard:
    return read_board(text.encode(), spec(method, metric, higher, **rest), source="page")


def ranking(board: ParsedBoard) -> list[tuple[int | None, str, float | None]]:
    return [(e.rank, e.system, e.score) for e in board.entries]


def refusal(text: str, method: str = "auto", metric: str = "Score", **rest: object) -> ReadRefused:
    with pytest.raises(ReadRefused) as caught:
        read(text, method, metric, **rest)
    return caught.value


SPILLED = """<table><tr><th rowspan="2">Model</th><th>Score</th></tr>
<tr><td>71.2</td></tr>
<tr><td>beta</td><td>70.9</td></tr></table>"""
SPAN_ENDS_WITH_THEAD = """<table><thead><tr><th rowspan="2">Model</th><th>Score</th></tr></thead>
<tbody><tr><td>71.2</td></tr>
<tr><td>beta</td><td>70.9</td></tr></tbody></table>"""


@pytest.mark.parametrize(
    ("page", "why"), [(SPILLED, "name 'Model' is the header's"), (SPAN_ENDS_WITH_THEAD, "too few cells")]
)
def test_01_header_rowspan_never_makes_an_entry(page: str, why: str) -> None:
    refused = refusal(page, "html_table")
    assert refused.reason_code is Reason.TOO_MANY_REJECTED
    assert "1 of 2 rows" in refused.message
    assert why in refused.message


@pytest.mark.parametrize("page", [SPILLED, SPAN_ENDS_WITH_THEAD])
def test_01_among_many_rows_the_spilled_one_is_counted_out(page: str) -> None:
    rows = "".join(f"<tr><td>m{i}</td><td>{50 + i}</td></tr>" for i in range(20))
    end = "</tbody>" if "</tbody>" in page else ""
    board = read(page.replace(f"{end}</table>", rows + end + "</table>"), "html_table")
    assert len(board.entries) == 21
    assert {e.system for e in board.entries} == {"beta", *(f"m{i}" for i in range(20))}
    assert sum(w.startswith("rejected") for w in board.warnings) == 1


TWO_ROW_HEADER = """<table>
<tr><th rowspan="2">Model</th><th colspan="2">Ans</th><th colspan="2">Joint</th></tr>
<tr><th>EM</th><th>F1</th><th>EM</th><th>F1</th></tr>
<tr><td>alpha</td><td>70.0</td><td>82.0</td><td>44.0</td><td>70.0</td></tr>
<tr><td>beta</td><td>69.0</td><td>83.0</td><td>46.0</td><td>72.0</td></tr></table>"""


def test_02_two_row_header_is_joined_top_down() -> None:
    assert ranking(read(TWO_ROW_HEADER, "html_table", "Joint / F1")) == [(1, "beta", 72.0), (2, "alpha", 70.0)]


def test_02_a_name_that_fits_two_columns_is_refused_with_both() -> None:
    refused = refusal(TWO_ROW_HEADER, "html_table", "F1")
    assert refused.reason_code is Reason.AMBIGUOUS_COLUMN
    assert "'Ans / F1'" in refused.message
    assert "'Joint / F1'" in refused.message


COMMAS = """<table><tr><th>Modell</th><th>Genauigkeit (%)</th></tr>
<tr><td>alpha</td><td>53,2</td></tr><tr><td>beta</td><td>61.5</td></tr><tr><td>gamma</td><td>1.024,5</td></tr></table>"""


def test_04_decimal_commas_are_decimals_and_percentages_above_100_are_suspect() -> None:
    board = read(COMMAS, "html_table", "Genauigkeit (%)")
    assert ranking(board) == [(1, "gamma", 1024.5), (2, "beta", 61.5), (3, "alpha", 53.2)]
    assert any(w.startswith("suspect") and "1024.5" in w for w in board.warnings)
    taken = Timeline(spec(metric="Genauigkeit (%)")).take(board, date="2026-01-01", file="f")
    assert taken.status == "refused"


def test_04_a_lone_group_of_three_is_decided_by_the_spec_only() -> None:
    page = "<table><tr><th>Model</th><th>Score</th></tr><tr><td>a</td><td>3,395</td></tr></table>"
    assert "decimal" in refusal(page, "html_table").message
    assert read(page, "html_table", decimal=",").entries[0].score == 3.395
    assert read(page, "html_table", decimal=".").entries[0].score == 3395.0


def test_04_jump_of_more_than_five_fold_is_suspect() -> None:
    old = [Entry(rank=None, system=f"m{i}", score=50.0 + i) for i in range(6)]
    new = [Entry(rank=None, system=f"m{i}", score=(532.0 if i == 0 else 50.0 + i)) for i in range(6)]
    assert "m0 went from 50 to 532" in suspicions(old, new)[0]


SKELETON = """<table><thead><tr><th>Rank</th><th>Agent</th><th>Accuracy</th></tr></thead><tbody>
<tr><td><div data-slot="skeleton"></div></td><td><div data-slot="skeleton"></div></td><td><div></div></td></tr>
<tr><td><div data-slot="skeleton"></div></td><td><div data-slot="skeleton"></div></td><td><div></div></td></tr>
</tbody></table>"""


@pytest.mark.parametrize("method", ["html_table", "auto"])
def test_06_skeleton_rows_are_no_scored_rows(method: str) -> None:
    refused = refusal(SKELETON, method, "Accuracy")
    assert refused.reason_code in {Reason.NO_SCORED_ROWS, Reason.DRAWN_BY_JAVASCRIPT}
    assert "api" in refused.message


def test_07_zero_rows_are_a_refusal_unless_declared() -> None:
    refused = refusal(
        "<html><body><div class='grid'>...</div></body></html>", "html_table", locate={"css": "table#lb"}
    )
    assert refused.reason_code in {Reason.LOCATOR_MISSED, Reason.NO_TABLE}
    empty = "model,Score\nalpha,-\n"
    assert refusal(empty, "csv").reason_code is Reason.NO_SCORED_ROWS
    assert read(empty, "csv", may_be_empty=True).entries == []


def test_07_losing_more_than_half_is_quarantined_and_the_last_good_snapshot_stands() -> None:
    def board(n: int) -> ParsedBoard:
        return read("model,Score\n" + "".join(f"m{i},{70 - i}\n" for i in range(n)), "csv")

    timeline = Timeline(spec())
    first, lost, back = (
        timeline.take(board(n), date=f"2026-01-0{i}", file="f") for i, n in enumerate((10, 4, 11), start=1)
    )
    assert (first.status, lost.status, back.status) == ("ok", "refused", "ok")
    assert "6 of 10 entries are gone" in (lost.reason or "")
    assert [(c.type, c.system) for c in back.changes] == [("new_entrant", "m10")]


def test_12_an_unreadable_leader_is_quarantined_and_an_unreadable_straggler_is_not() -> None:
    rows = [(f"m{i}", f"{90 - i}") for i in range(20)]
    pages = [
        "| Model | Score |\n|---|---|\n" + "".join(f"| {n} | {s} |\n" for n, s in changed)
        for changed in (rows, [("m0", "90 or so"), *rows[1:]], [*rows[:-1], ("m19", "about 71")])
    ]
    line = Timeline(spec("markdown"))
    taken = [line.take(read(p, "markdown"), date=f"2026-01-0{i}", file="f") for i, p in enumerate(pages, start=1)]
    assert [t.status for t in taken] == ["ok", "refused", "ok"]
    assert "the row of m0, last at rank 1, could not be read" in (taken[1].reason or "")


def test_08_missing_marks_apply_to_scores_not_to_names() -> None:
    board = read("model,score\nNone,70.1\nNA,69.9\nnull,69.0\nalpha,N/A\nbeta,-\n", "csv", "score")
    assert ranking(board) == [(1, "None", 70.1), (2, "NA", 69.9), (3, "null", 69.0)]
    assert board.unscored == ["alpha", "beta"]
    assert any("alpha" in w and "beta" in w for w in board.warnings)


def test_10_nan_and_infinity_are_no_scores_and_never_written() -> None:
    text = (
        '[{"name": "alpha", "score": 71.2}, {"name": "beta", "score": NaN},'
        ' {"name": "gamma", "score": Infinity}, {"name": "delta", "score": 70.0}]'
    )
    board = read(text, "api", "score")
    assert ranking(board) == [(1, "alpha", 71.2), (2, "delta", 70.0)]
    assert board.unscored == ["beta", "gamma"]
    assert sum("is not a score" in w for w in board.warnings) == 2
    assert "NaN" not in json.dumps(board.model_dump(mode="json"), allow_nan=False)


UNITS = """| Run | Time |
|---|---|
| base | 5.8 hours |
| tuned | 29.3 minutes |
| best | 25.95 minutes* |
| pending | TBD |
"""


def test_12_times_get_one_unit_and_marks_become_notes() -> None:
    board = read(UNITS, "markdown", "Time", higher=False)
    assert ranking(board) == [(1, "best", 25.95), (2, "tuned", 29.3), (3, "base", 348.0)]
    assert board.entries[0].note == "*"
    assert board.unscored == ["pending"]
    seconds = read(UNITS, "markdown", "Time", higher=False, unit="seconds")
    assert [e.score for e in seconds.entries] == [1557.0, 1758.0, 20880.0]


def test_12_ranks_errors_and_parts_in_cells() -> None:
    table = "| Model | Score |\n|---|---|\n"
    assert read(table + "| a | 95.7 **(1st)** |\n| b | 95.5 **(2nd)** |\n").entries[0].score == 95.7
    with_error = read(table + "| a | 0.8428 ± 0.0014 |\n").entries[0]
    assert (with_error.score, with_error.stderr) == (0.8428, 0.0014)
    crossing = table + "| a | 93.0/90.7 |\n| b | 92.0/91.5 |\n"
    assert refusal(crossing).reason_code is Reason.AMBIGUOUS_NUMBER
    assert [e.system for e in read(crossing, part=2).entries] == ["b", "a"]
    agreeing = read(table + "| a | 93.0/90.7 |\n| b | 92.0/90.5 |\n")
    assert agreeing.entries[0].score == 93.0
    assert agreeing.spec["part"] == 1


def test_12_an_arrow_does_not_hide_the_column() -> None:
    assert read("| Model | Score ↑ |\n|---|---|\n| a | 1.5 |\n| b | 2.5 |\n").entries[0].system == "b"


def test_14_ties_share_a_rank_and_row_order_means_nothing() -> None:
    before = [("alpha", 76.8), ("beta", 76.8), ("gamma", 76.4)]
    after = [("beta", 76.8), ("alpha", 76.8), ("gamma", 76.4)]
    boards = [read("model,Score\n" + "".join(f"{n},{s}\n" for n, s in rows), "csv") for rows in (before, after)]
    assert [e.rank for e in boards[0].entries] == [1, 1, 3]
    assert ranking(boards[0]) == ranking(boards[1])
    delta = compare(boards[0].entries, boards[1].entries, board="B", higher_is_better=True, ours=["gamma"])
    assert (delta.changes, delta.alerts) == ([], [])


def test_14_a_tie_is_never_told_as_overtaken() -> None:
    old = [Entry(rank=None, system="us", score=76.4), Entry(rank=None, system="them", score=76.0)]
    new = [Entry(rank=None, system="us", score=76.4), Entry(rank=None, system="them", score=76.4)]
    delta = compare(old, new, board="B", higher_is_better=True, ours=["us"])
    assert {c.type for c in delta.changes} == {"improved", "tied"}
    assert any("tied with us" in line for line in map(str, delta.alerts))
    assert not any("overtook" in line for line in map(str, delta.alerts))


def test_15_direction_is_required_and_decides_ranks_and_improvement() -> None:
    yaml = "name: B\nurl: b\nscrape_method: csv\nprimary_metric: Word error rate (%)\n"
    with pytest.raises(ConfigError, match="higher_is_better: is required"):
        validate(Leaderboard, parse_yaml(yaml, "s.yaml"))
    text = "model,Word error rate (%)\nalpha,1.24\nbeta,3.9\ngamma,2.0\n"
    board = read(text, "csv", "Word error rate (%)", higher=False)
    assert [e.system for e in board.entries] == ["alpha", "gamma", "beta"]
    better = read(text.replace("1.24", "1.10"), "csv", "Word error rate (%)", higher=False)
    delta = compare(board.entries, better.entries, board="B", higher_is_better=False)
    assert [(c.type, c.system, c.old, c.new) for c in delta.changes] == [("improved", "alpha", 1.24, 1.10)]


@pytest.mark.parametrize(
    ("metric", "higher", "warned"),
    [("Word error rate", True, True), ("latency_ms", True, True), ("F1", False, True), ("accuracy", True, False)],
)
def test_15_a_direction_against_the_name_is_warned_of(metric: str, higher: bool, warned: bool) -> None:
    assert bool(spec(metric=metric, higher=higher).direction_warning()) is warned
