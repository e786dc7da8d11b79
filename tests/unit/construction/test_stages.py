"""Rows of a stage come back as they were written, whatever text is in them."""

import pytest

from auto_benchmark.construction.stages import read_rows, write_rows
from auto_benchmark.errors import ConfigError


@pytest.mark.parametrize("sign", ["\u2028", "\u2029", "\x85", "\x0c", "\x1e", "\n", "\r"])
def test_a_sign_that_some_call_the_end_of_a_line_ends_no_row(tmp_path, sign):
    rows = [{"given": f"one{sign}two"}, {"given": "three"}]
    write_rows(tmp_path / "rows.jsonl", rows)
    assert read_rows(tmp_path / "rows.jsonl") == rows


def test_no_rows_are_none(tmp_path):
    write_rows(tmp_path / "rows.jsonl", [])
    assert read_rows(tmp_path / "rows.jsonl") == []


@pytest.mark.parametrize("line", ["[" * 200_000, '{"a": ' * 200_000, '{"id": "\\ud800"}', '{"\\uDFFF": 1}'])
def test_what_cannot_be_read_or_written_again_is_refused_by_its_line(tmp_path, line):
    (tmp_path / "rows.jsonl").write_text(f'{{"id": "\\ud83d\\ude00 \\\\ud800"}}\n{line}\n')
    with pytest.raises(ConfigError, match=r"rows.jsonl:2: "):
        read_rows(tmp_path / "rows.jsonl")
