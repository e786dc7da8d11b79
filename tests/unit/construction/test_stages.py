"""Rows of a stage come back as they were written, whatever text is in them."""

import pytest

from auto_benchmark.construction.stages import read_rows, write_rows


@pytest.mark.parametrize("sign", ["\u2028", "\u2029", "\x85", "\x0c", "\x1e", "\n", "\r"])
def test_a_sign_that_some_call_the_end_of_a_line_ends_no_row(tmp_path, sign):
    rows = [{"given": f"one{sign}two"}, {"given": "three"}]
    write_rows(tmp_path / "rows.jsonl", rows)
    assert read_rows(tmp_path / "rows.jsonl") == rows


def test_no_rows_are_none(tmp_path):
    write_rows(tmp_path / "rows.jsonl", [])
    assert read_rows(tmp_path / "rows.jsonl") == []
