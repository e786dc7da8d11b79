"""``research extract``: one object a line, bad lines named, nothing but JSON on stdout."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

from auto_benchmark.cli import app

GOOD = {
    "id": "arxiv:2602.00001",
    "title": "Asking better",
    "abstract": "We propose query expansion. It improves accuracy by 4.2% on MemoryBench over prior SOTA.",
    "venue": "ignored",
}
FIELDS = {
    "id", "relevant", "reason", "techniques", "gains", "applicability", "effort", "impact", "priority", "disposition",
}  # fmt: skip


def run(path: Path) -> tuple[int, list[dict[str, Any]], str]:
    result = CliRunner().invoke(app, ["research", "extract", str(path), "--json"])
    papers = json.loads(result.stdout)["papers"] if result.stdout else []
    return result.exit_code, papers, result.stderr


def write(tmp_path: Path, *lines: str | bytes) -> Path:
    file = tmp_path / "papers.jsonl"
    file.write_bytes(b"\n".join(line if isinstance(line, bytes) else line.encode() for line in lines))
    return file


def test_the_shape(tmp_path: Path) -> None:
    code, [paper], _ = run(write(tmp_path, json.dumps(GOOD)))
    assert code == 0
    assert set(paper) == FIELDS
    assert paper["relevant"] is True
    assert paper["techniques"] == [
        {"name": "query expansion", "kind": "inference", "sentence": "We propose query expansion."}
    ]
    assert paper["gains"] == [
        {"value": 4.2, "unit": "percent", "metric": "accuracy", "benchmark": "MemoryBench", "baseline": "prior SOTA",
         "sentence": "It improves accuracy by 4.2% on MemoryBench over prior SOTA."}
    ]  # fmt: skip
    assert (paper["effort"], paper["impact"], paper["priority"]) == ("Low", "High", 3.0)


def test_order_is_kept_and_bad_lines_are_named(tmp_path: Path) -> None:
    lines = [
        json.dumps({**GOOD, "id": "a"}), "{broken", json.dumps({**GOOD, "id": "b"}), '["list"]',
        '{"id": "x", "title": "t"}', '{"id": 3, "title": "t", "abstract": "a"}', b"\xff\xfe", "",
        "[" * 100_000, json.dumps({**GOOD, "id": "c"}),
    ]  # fmt: skip
    file = write(tmp_path, *lines)
    code, papers, errors = run(file)
    assert code == 2
    assert [paper["id"] for paper in papers] == ["a", "b", "c"]
    for number, what in [(2, "JSON"), (4, "object"), (5, "abstract"), (6, "id"), (7, "UTF-8"), (9, "JSON")]:
        assert any(f"papers.jsonl:{number}: " in line and what in line for line in errors.splitlines()), number
    assert "Traceback" not in errors


def test_a_missing_file_is_a_message(tmp_path: Path) -> None:
    result = CliRunner().invoke(app, ["research", "extract", str(tmp_path / "none.jsonl")])
    assert result.exit_code != 0
    assert "cannot be read" in str(result.exception)


@pytest.mark.parametrize("value", ["\ud800", "\x00", "</script>", "\u202e", "NaN"])
def test_any_text_comes_out_as_valid_json(tmp_path: Path, value: str) -> None:
    code, [paper], _ = run(write(tmp_path, json.dumps({"id": "x" + value, "title": value, "abstract": value})))
    assert code == 0
    assert paper["id"].startswith("x")


def test_the_same_input_gives_the_same_output(tmp_path: Path) -> None:
    file = write(tmp_path, *[json.dumps({**GOOD, "id": str(i)}) for i in range(20)])
    assert run(file) == run(file)


def test_null_abstracts_as_some_sources_send_them(tmp_path: Path) -> None:
    code, [paper], _ = run(write(tmp_path, json.dumps({**GOOD, "abstract": None})))
    assert code == 0
    assert paper["gains"] == []
