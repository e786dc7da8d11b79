"""Gains that result tables state."""

from __future__ import annotations

import pytest

from auto_benchmark.research.result_table import MOST_COLUMNS, MOST_ROWS, ResultTable, bounded, table_gains


def table(columns: list[str], *rows: list[str], caption: str = "") -> ResultTable:
    return ResultTable("Table 2", caption, tuple(columns), tuple(tuple(row) for row in rows))


def told(one: ResultTable, *systems: str) -> list[tuple[float, str | None, str | None, str | None]]:
    return [(g.value, g.metric, g.benchmark, g.baseline) for g in table_gains([one], systems)]


def test_our_row_against_the_best_of_the_others() -> None:
    one = table(
        ["Method", "MemoryBench / Accuracy", "LongEval / Accuracy"],
        ["BM25", "71.2", "60.1"], ["Dense", "74.0 ± 0.3", "66.0"], ["Ours", "78.5", "65.0"],
    )  # fmt: skip
    assert told(one) == [(4.5, "Accuracy", "MemoryBench", "Dense")]
    [gain] = table_gains([one])
    assert gain.where == "Table 2"
    assert gain.sentence == "Table 2, MemoryBench / Accuracy: 78.5 (ours) against 74 (Dense)"


def test_lower_is_better_and_arrows() -> None:
    perplexity = table(["Model", "Perplexity"], ["A", "20.5"], ["B", "18.0"], ["Ours", "17.2"])
    assert told(perplexity) == [(0.8, "Perplexity", None, "B")]
    arrows = table(["Model", "Cost ↓", "Nuggets ↑"], ["A", "3.0", "5"], ["Ours", "2.0", "4"], caption="On X.")
    assert [g[0] for g in told(arrows)] == [1.0]


def test_a_system_by_its_name_and_its_ablations() -> None:
    one = table(
        ["System", "Accuracy"], ["Base", "70.0"], ["TierMem", "75.0"], ["TierMem w/o cache", "74.0"],
    )  # fmt: skip
    assert told(one, "TierMem") == [(5.0, "Accuracy", None, "Base")]
    assert told(one) == [], "nobody says which row is ours"


def test_people_chance_and_unknown_columns_are_no_baseline() -> None:
    one = table(
        ["System", "Accuracy", "Year"], ["Human", "95.0", "1990"], ["Random", "25.0", "1990"], ["GPT", "70", "2024"],
        ["Ours", "72", "2025"],
    )  # fmt: skip
    assert told(one) == [(2.0, "Accuracy", None, "GPT")]


def test_no_gain_without_numbers_or_without_a_lead() -> None:
    assert told(table(["A", "Accuracy"], ["X", "n/a"], ["Ours", "-"])) == []
    assert told(table(["A", "Accuracy"], ["X", "80"], ["Ours", "79"])) == []
    assert told(table(["A"], ["Ours"])) == []


def test_huge_tables_are_cut() -> None:
    cut = bounded(table(["c" * 999] * 500, *[["x" * 999] * 500] * 900))
    assert (len(cut.columns), len(cut.rows), len(cut.rows[0])) == (MOST_COLUMNS, MOST_ROWS, MOST_COLUMNS)


CAPTION = "Accuracy of all systems."


@pytest.mark.parametrize(
    "header",
    ["Year", "Rank", "#", "# Params", "Epochs", "Steps", "Layers", "Dim", "k", "K", "Size", "Params (B)", "Shots",
     "5-shot", "Model / Year", "Released", "Batch size", "Time (s)", "users"],
)  # fmt: skip
def test_the_captions_metric_is_not_that_of_years_ranks_and_settings(header: str) -> None:
    assert told(table(["System", header], ["GPT", "3"], ["Ours", "7"], caption=CAPTION)) == []


@pytest.mark.parametrize(
    "header",
    ["", "Avg.", "average", "Overall", "all", "Score", "test", "dev", "Val", "mean (%)", "LoCoMo", "GSM8K", "MS MARCO",
     "LoCoMo / avg"],
)  # fmt: skip
def test_the_captions_metric_is_that_of_averages_splits_and_benchmarks(header: str) -> None:
    [gain] = table_gains([table(["System", header], ["GPT", "70"], ["Ours", "72"], caption=CAPTION)])
    assert gain.value == 2.0


def test_a_column_that_names_its_own_direction_needs_no_caption() -> None:
    one = table(["System", "Params", "Year ↑"], ["GPT", "70", "1"], ["Ours", "7", "2"], caption=CAPTION)
    assert [g.value for g in table_gains([one])] == [63.0, 1.0]
