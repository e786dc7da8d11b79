"""Faults that other projects have reported, on inputs of our own: read through the command line where there is one."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import yaml
from tests.command_line import Run, runner

Parse = Callable[..., dict[str, Any]]


@pytest.fixture
def cli(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Run:
    """Runs a command in this process."""
    return runner(monkeypatch, capsys)


@pytest.fixture
def parse(cli: Run, tmp_path: Path) -> Parse:
    """``leaderboard parse`` on a text: its JSON. A refusal is an AssertionError with the command's words."""

    def run(text: str, name: str = "board.html", metric: str = "Score", spec: dict[str, Any] | None = None) -> Any:
        (tmp_path / name).write_text(text, encoding="utf-8")
        how: tuple[object, ...] = ("--metric", metric)
        if spec is not None:
            (tmp_path / "spec.yaml").write_text(yaml.safe_dump({"name": "Board", "higher_is_better": True, **spec}))
            how = ("--spec", tmp_path / "spec.yaml")
        ended = cli("leaderboard", "parse", tmp_path / name, *how, "--json")
        assert ended.code == 0, ended.err
        return ended.json

    return run


@pytest.fixture
def ranking(parse: Parse) -> Callable[..., list[tuple[str, float]]]:
    """``leaderboard parse`` on a text: systems and scores, best first."""
    return lambda *given, **named: [(e["system"], e["score"]) for e in parse(*given, **named)["entries"]]


@pytest.fixture
def diff(cli: Run, tmp_path: Path) -> Parse:
    """``leaderboard diff`` on two texts: its JSON."""

    def run(old: str, new: str, name: str = "csv", ours: str = "Ours", **spec: Any) -> Any:
        declared = {"name": "Board", "scrape_method": "csv", "primary_metric": "score", "higher_is_better": True}
        (tmp_path / "spec.yaml").write_text(yaml.safe_dump(declared | spec))
        for which, text in (("old", old), ("new", new)):
            (tmp_path / f"{which}.{name}").write_text(text, encoding="utf-8")
        files = [tmp_path / f"{which}.{name}" for which in ("old", "new")]
        ended = cli("leaderboard", "diff", *files, "--spec", tmp_path / "spec.yaml", "--ours", ours, "--json")
        assert ended.code == 0, ended.err
        return ended.json

    return run
