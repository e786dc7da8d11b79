"""Every source keeps the contract."""

from __future__ import annotations

import json
from html import escape
from pathlib import Path
from typing import Any

import pytest
import yaml
from tests.contract.source_contract import Rows, SourceContract

from auto_benchmark.registry.leaderboard import Leaderboard, ScrapeMethod
from auto_benchmark.sources.fetch import fetch
from auto_benchmark.sources.read import read_board, table_reader
from auto_benchmark.tables.refusal import ReadRefused


class TestHtmlTable(SourceContract):
    method = "html_table"

    def render(self, rows: Rows) -> bytes:
        body = "".join(f"<tr><td>{escape(n)}</td><td>{s}</td></tr>\n" for n, s in rows)
        return f"<html><body><table><tr><th>Model</th><th>accuracy</th></tr>\n{body}</table></body></html>".encode()


class TestCsv(SourceContract):
    method = "csv"

    def render(self, rows: Rows) -> bytes:
        return ("model,accuracy\n" + "".join(f"{n},{s}\n" for n, s in rows)).encode()


class TestTsv(SourceContract):
    method = "tsv"

    def render(self, rows: Rows) -> bytes:
        return ("model\taccuracy\n" + "".join(f"{n}\t{s}\n" for n, s in rows)).encode()


class TestMarkdown(SourceContract):
    method = "markdown"

    def render(self, rows: Rows) -> bytes:
        body = "".join(f"| [{n}](https://example.org/a_(b)) | **{s}** |\n" for n, s in rows)
        return f"# Board\n\n| Model | accuracy |\n|:---|---:|\n{body}\nfoot\n".encode()


class TestMarkdownWithoutOuterPipes(SourceContract):
    method = "markdown"

    def render(self, rows: Rows) -> bytes:
        return ("Model | accuracy\n--- | ---\n" + "".join(f"{n} | {s}\n" for n, s in rows)).encode()


class TestYaml(SourceContract):
    method = "yaml"

    def render(self, rows: Rows) -> bytes:
        return "".join(f'- model: "{n}"\n  accuracy: {s}\n' for n, s in rows).encode()


class TestJsonList(SourceContract):
    method = "api"

    def render(self, rows: Rows) -> bytes:
        return json.dumps({"meta": {"v": 1}, "results": [{"model": n, "accuracy": s} for n, s in rows]}).encode()


class TestJsonKeyedByName(SourceContract):
    method = "api"

    def render(self, rows: Rows) -> bytes:
        return json.dumps({n: {"accuracy": s, "link": "x"} for n, s in rows}).encode()


class TestJavaScriptAssignment(SourceContract):
    method = "api"

    def render(self, rows: Rows) -> bytes:
        body = "".join(f"  '{n}': {{accuracy: {s}, size: null,}}, // row\n" for n, s in rows)
        return f"/* data */\nconst score_table = {{\n{body}}};\nfunction draw() {{ return 1; }}\n".encode()


class TestJsonInPage(SourceContract):
    method = "api"

    def render(self, rows: Rows) -> bytes:
        data = json.dumps({"props": {"rows": [{"name": n, "accuracy": s} for n, s in rows]}})
        script = f'<script id="__NEXT_DATA__" type="application/json">{data}</script>'
        return f"<!doctype html><html><body><div id=app></div>{script}</body></html>".encode()


class TestRss(SourceContract):
    method = "rss"
    found_by_auto = False
    extra = {
        "columns": {
            "system": {"column": "title", "regex": r"^(.+) reaches "},
            "score": {"column": "title", "regex": r"accuracy ([\d.]+)"},
        }
    }

    def render(self, rows: Rows) -> bytes:
        items = "".join(
            f"<item><title>{escape(n)} reaches accuracy {s}</title><guid>{escape(n)}</guid></item>" for n, s in rows
        )
        return f'<?xml version="1.0"?><rss version="2.0"><channel><title>t</title>{items}</channel></rss>'.encode()

    def test_missing_metric_is_refused_and_tells_what_there_is(self) -> None:
        with pytest.raises(ReadRefused, match=r"BLEU.*columns .*title"):
            self.read(self.render([("a", 1.0)]), primary_metric="BLEU", columns={})


class TestManual(SourceContract):
    method = "manual"
    found_by_auto = False

    def render(self, rows: Rows) -> bytes:
        return yaml.safe_dump(dict(rows), allow_unicode=True).encode()

    def test_missing_metric_is_refused_and_tells_what_there_is(self) -> None:
        """A list kept by hand has one number per system; whatever the metric is called, that is it."""
        assert len(self.read(self.render([("a", 1.0), ("b", 2.0)]), primary_metric="BLEU").entries) == 2


class TestHfEvals(SourceContract):
    method = "hf_evals"
    metric = "cais/hle"
    found_by_auto = False

    def render(self, rows: Rows) -> bytes:
        def result(score: float) -> list[dict[str, Any]]:
            return [{"dataset": {"id": "cais/hle", "task_id": "default"}, "value": score}]

        return json.dumps({f"{n}/.eval_results/hle": result(s) for n, s in rows}, ensure_ascii=False).encode()


def test_hf_evals_directory_of_model_repositories(tmp_path: Path) -> None:
    for model, score in (("org/a", "20.90"), ("org/b", "35.1")):
        folder = tmp_path / model / ".eval_results"
        folder.mkdir(parents=True)
        text = f"- dataset: {{id: cais/hle, task_id: default}}\n  value: {score}\n  notes: with tools\n"
        (folder / "hle_with_tools.yaml").write_text(text)
    spec = Leaderboard(
        name="HLE",
        url=str(tmp_path),
        scrape_method=ScrapeMethod.HF_EVALS,
        primary_metric="cais/hle",
        higher_is_better=True,
    )
    board = read_board(fetch(str(tmp_path)).content, spec, source=str(tmp_path))
    assert [(e.system, e.score) for e in board.entries] == [
        ("org/b (with tools)", 35.1),
        ("org/a (with tools)", 20.9),
    ]


def test_directory_with_one_entry_per_file(tmp_path: Path) -> None:
    (tmp_path / "alpha.json").write_text('{"name": "A paper", "autoattack_acc": "73.10"}')
    (tmp_path / "beta.yaml").write_text("name: Another\nautoattack_acc: '71.59'\n")
    spec = Leaderboard(
        name="R",
        url=str(tmp_path),
        scrape_method=ScrapeMethod.AUTO,
        primary_metric="autoattack_acc",
        higher_is_better=True,
    )
    board = read_board(fetch(str(tmp_path)).content, spec, source=str(tmp_path))
    assert [(e.system, e.score) for e in board.entries] == [("alpha", 73.10), ("beta", 71.59)]


def test_every_method_has_a_source() -> None:
    for method in ScrapeMethod:
        if method is not ScrapeMethod.AUTO:
            assert callable(table_reader(method))
