"""What stands on the board of a constructed benchmark compares with what the loop measures there."""

import json
import shutil
from pathlib import Path

import pytest
import yaml
from tests.command_line import Run, runner

from auto_benchmark.construction.answering import AnswerSheet, put
from auto_benchmark.construction.candidates import PANELS
from auto_benchmark.construction.candidates.bundled_solution import SEED
from auto_benchmark.construction.folder import slice_of
from auto_benchmark.construction.item import Item
from auto_benchmark.construction.panel import Panel, panel_for
from auto_benchmark.construction.publish import publish
from auto_benchmark.construction.run import run as construct
from auto_benchmark.construction.stages import Stages, read_rows
from auto_benchmark.settings import INCLUDE, Settings

REQUEST = {
    "name": "entries", "request": "Remember what was told last", "sources": ["memory_world"], "target_size": 160,
    "candidates": ["bundled_default", "bundled_latest_time", "reader_words"], "rounds": 1, "per_round": 3,
    "pilot_items": 8, "seed": 4,
}  # fmt: skip
SPLITS = {"full": "gate", "fast": "search"}
"""Stage of a trial -> split that answers."""


@pytest.fixture(scope="module")
def place(tmp_path_factory) -> Path:
    """A published construction, and the bundled solution on it."""
    place = tmp_path_factory.mktemp("entries")
    (place / "REQUEST.yaml").write_text(yaml.safe_dump(REQUEST))
    settings = Settings(benchmarks=place / "benchmarks")
    construct(settings, place / "REQUEST.yaml", place / "out", say=lambda _: None)
    publish(settings, place / "out")
    shutil.copytree(INCLUDE / "solutions" / "memory_retrieval", place / "solutions" / "memory_retrieval")
    declaration = place / "solutions" / "memory_retrieval" / "solution.yaml"
    declaration.write_text(declaration.read_text().replace("benchmark: memory", "benchmark: entries"))
    return place


@pytest.fixture
def cli(place, tmp_path, monkeypatch, capsys) -> Run:
    for name in ("benchmarks", "solutions"):
        monkeypatch.setenv(f"AUTO_BENCHMARK_{name.upper()}", str(place / name))
    monkeypatch.setenv("AUTO_BENCHMARK_HOME", str(tmp_path / "home"))
    monkeypatch.chdir(tmp_path)
    return runner(monkeypatch, capsys)


def rows_of(folder: Path) -> dict[str, dict]:
    return {row["name"]: row for row in read_rows(folder / "candidates.jsonl")}


@pytest.mark.parametrize("stage", SPLITS)
@pytest.mark.parametrize("name", ["bundled_default", "bundled_latest_time"])
def test_an_entry_is_what_a_trial_of_its_configuration_gets(place, cli, tmp_path, name, stage):
    params = next(dict(c.params) for c in PANELS["bundled_solution"] if c.name == name)
    (tmp_path / "trial.yaml").write_text(
        yaml.safe_dump({"solution": "memory_retrieval", "params": params, "stage": stage})
    )
    ended = cli("trial", "run", tmp_path / "trial.yaml", "--seed", SEED, "--out", tmp_path / "trial", "--json")
    assert ended.code == 0, ended.err
    row, split = rows_of(place / "out")[name], SPLITS[stage]
    assert row["learned"] == "all subtasks together"
    assert ended.json["metrics"]["accuracy"] == pytest.approx(row[f"accuracy_{split}"], abs=1e-12)
    keys = {item["id"]: item["answer"] for item in read_rows(place / "out" / "benchmark" / f"{split}.jsonl")}
    given = {p["id"]: p["answer"] for p in read_rows(tmp_path / "trial" / "predictions.jsonl")}
    stored = {r["id"]: r["given"] for r in read_rows(place / "out" / "stages" / "answers_together.jsonl")
              if r["candidate"] == name}  # fmt: skip
    assert given == {item: stored[item] for item in keys}, "answer by answer"


def learned_apart(folder: Path, panel: Panel) -> tuple[dict[str, list], dict[str, AnswerSheet]]:
    """What a construction's stages of answers rested on, and held, when every candidate learned each subtask apart."""
    records = read_rows(folder / "privileged.jsonl")
    items = [(row["split"], Item.of(row, None)) for row in records]
    inputs, sheets = {}, {}
    for name in {slice_of(item) for _, item in items}:
        parts = {
            s: [i for split, i in items if split == s and slice_of(i) == name] for s in ("train", "search", "gate")
        }
        asked = [*parts["search"], *parts["gate"]]
        inputs[name] = [[i.id for i in asked], [i.id for i in parts["train"]], panel.versions]
        sheets[name] = put(panel.candidates, asked, parts["train"])
    return inputs, sheets


def test_answers_of_a_version_that_let_it_learn_apart_are_not_used(place, tmp_path):
    panel = panel_for(REQUEST["candidates"], {"text"}, {"memory_world"})
    out = tmp_path / "out"
    shutil.copytree(place / "out", out)
    inputs, sheets = learned_apart(out, panel)
    for file in (out / "stages").glob("answers_*"):
        file.unlink()
    for name, sheet in sheets.items():
        Stages(out / "stages").rows(f"answers_{name}", inputs[name], sheet.rows)
    before = {name: sum(sum(sheet.right[name].values()) for sheet in sheets.values()) for name in panel.names}
    construct(Settings(), place / "REQUEST.yaml", out, say=lambda _: None)
    assert (out / "candidates.jsonl").read_bytes() == (place / "out" / "candidates.jsonl").read_bytes()
    now = {name: sum(row["right"].values()) for name, row in rows_of(out).items()}
    assert now["reader_words"] == before["reader_words"] and now != before, "this test can tell the two apart"


def test_a_board_of_such_a_version_is_named_and_not_published(place, cli, tmp_path):
    out = tmp_path / "out"
    shutil.copytree(place / "out", out)
    kept = (out / "candidates.jsonl").read_bytes()
    old = [{k: v for k, v in row.items() if k != "learned"} for row in read_rows(out / "candidates.jsonl")]
    (out / "candidates.jsonl").write_text("".join(json.dumps(row) + "\n" for row in old))
    problems = cli("construct", "check", out, "--json").json["problems"]
    assert len(problems) == 2 and all("learned: bundled_" in problem for problem in problems)
    ended = cli("construct", "publish", out)
    assert ended.code == 2 and "run the construction again" in ended.err
    later = {**REQUEST, "name": "later", "compare_with": [str(out)]}
    (tmp_path / "later.yaml").write_text(yaml.safe_dump(later))
    ended = cli("construct", "run", tmp_path / "later.yaml", "--out", tmp_path / "later")
    assert ended.code == 2 and "answered before it learned as a trial does" in ended.err
    assert cli("construct", "run", place / "REQUEST.yaml", "--out", out).code == 0
    assert (out / "candidates.jsonl").read_bytes() == kept and cli("construct", "check", out).code == 0
