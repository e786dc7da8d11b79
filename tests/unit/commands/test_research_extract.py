"""``research extract``: one object a line, bad lines named, nothing but JSON on stdout."""

from __future__ import annotations

import json
import re
import shutil
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

from auto_benchmark.cli import app, main
from auto_benchmark.research.credit import Weights

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


def test_why_names_the_cues_that_credit_a_technique(tmp_path: Path) -> None:
    file = write(tmp_path, json.dumps(GOOD))
    told = json.loads(CliRunner().invoke(app, ["research", "extract", str(file), "--why", "--json"]).stdout)
    [technique] = told["papers"][0]["techniques"]
    weights = Weights.bundled().by_cue
    assert technique["because"][0]["cue"] == "name"  # the catalogue knows it
    assert all(weights[said["cue"]] == said["weight"] for said in technique["because"])
    assert "because name +" in CliRunner().invoke(app, ["research", "extract", str(file), "--why"]).stdout


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


@pytest.mark.parametrize("content", ["", "\n \n"])
def test_a_file_without_papers_says_so(tmp_path: Path, content: str) -> None:
    file = write(tmp_path, content)
    assert run(file) == (0, [], f"no papers in {file}\n")


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


@pytest.mark.parametrize(
    ("file", "old", "new", "message"),
    [
        ("config/research_config.yaml", "arxiv_queries:", "arxiv_querys:", "research_sources.arxiv_querys: unknown key"),
        ("config/research_config.yaml", "research_sources:", "research_sources: [", "not valid YAML"),
        ("config/technique_catalog.yaml", "id: cross_attention,", "id: attention_mechanism,", "is declared twice"),
        ("config/technique_catalog.yaml", "co-attention,", "self-attention,", "already means"),
        ("config/technique_catalog.yaml", "kind: architecture, effort: High", "kind: magic, effort: High", ".kind: should"),
        ("solutions/memory_retrieval/solution.yaml", "  query_expansion: {", "  query_expansions: {",
         "techniques.query_expansions: no technique of technique_catalog.yaml has this id; did you mean 'query_expansion'"),
        ("solutions/memory_retrieval/solution.yaml", "expansion_terms: 10}", "expansion: 10}", "no knob is called"),
    ],
)  # fmt: skip
def test_a_mistake_is_told_with_its_line(
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    file: str,
    old: str,
    new: str,
    message: str,
    capsys: pytest.CaptureFixture[str],
) -> None:
    """What a newcomer gets wrong first: ``file:line: field: message`` and exit 2, from the command and from check."""
    include = Path("include")
    for part in ("config", "solutions", "benchmarks"):
        shutil.copytree(include / part, tmp_path / part, ignore=shutil.ignore_patterns("__pycache__"))
        monkeypatch.setenv(f"AUTO_BENCHMARK_{part.upper()}", str(tmp_path / part))
    wrong = tmp_path / file
    text = wrong.read_text()
    assert old in text
    wrong.write_text(text.replace(old, new, 1))
    papers = write(tmp_path, json.dumps(GOOD))
    for command in (["research", "extract", str(papers)], ["check"]):
        code, told = ended(monkeypatch, capsys, *command)
        assert code == 2, told
        [line] = [line for line in told.splitlines() if message in line][:1]
        assert re.search(rf"{re.escape(wrong.name)}:\d+: ", line)


def test_a_file_that_is_not_there(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    code, told = ended(monkeypatch, capsys, "research", "extract", str(tmp_path / "none.jsonl"))
    assert (code, "none.jsonl: cannot be read" in told) == (2, True)


def ended(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], *command: str) -> tuple[object, str]:
    """Exit code and stderr of the whole command line."""
    monkeypatch.setattr("sys.argv", ["auto-benchmark", *command])
    with pytest.raises(SystemExit) as exit_:
        main()
    return exit_.value.code, capsys.readouterr().err
