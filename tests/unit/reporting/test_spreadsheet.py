"""Cells of CSV files: text is never a formula, numbers stay numbers."""

import csv
import io

import pytest

from auto_benchmark.reporting.spreadsheet import cell


@pytest.mark.parametrize(
    "text", ["=1+1", "+1", "-1", "@SUM(A1)", "\t=1", "\r=1", "＝1+1", "＠SUM(A1)", '=HYPERLINK("http://x","y")']
)
def test_text_that_a_spreadsheet_would_calculate_is_kept_as_text(text):
    written = io.StringIO()
    csv.writer(written).writerow([cell(text)])
    (back,) = next(csv.reader(io.StringIO(written.getvalue(), newline="")))
    assert back == "'" + text


@pytest.mark.parametrize("value", [-0.5, -1, 0, None, "", "a-b", "H-001", "1=1"])
def test_everything_else_is_left_alone(value):
    assert cell(value) is value
