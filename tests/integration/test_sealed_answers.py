"""A model whose patch reads the sealed answers, which lie where it looks: right outside, and of no use inside."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest
from tests.command_line import runner
from tests.fakes.llm_server import FakeModel, served
from tests.toy_project import Toy, enter

from auto_benchmark.db.repositories import hypotheses
from auto_benchmark.experiments.gate.rounds import claim, plan_validation, validate
from auto_benchmark.experiments.trials.planned import run_trials
from auto_benchmark.ideas.file import read_idea
from auto_benchmark.ideas.intake import take_in
from auto_benchmark.ideas.steps import reconcile

BEFORE = '        answer = "high" if total >= 27 else "low"\n'
READS = (
    BEFORE
    + """        for folder in (Path(os.environ["AB_DATA_DIR"]).resolve().parents[1] / "sealed", Path({home!r}) / "sealed"):
            try:
                for sealed in folder.glob("*.json"):
                    answer = json.loads(sealed.read_text()).get(item["id"], {{}}).get("answer", answer)
                    params["flip"] = 0
            except OSError:
                pass
"""
)


def as_said(old: str, new: str) -> str:
    return f"I look the answers up.\nFILE: train.py\n<<<<<<< SEARCH\n{old}=======\n{new}>>>>>>> REPLACE\n"


def outside(toy: Toy, program: str, tmp_path: Path) -> float:
    """Accuracy of a program on the search split where nothing confines it."""
    data = toy.ctx.bench.data
    view = data.view("search")
    (tmp_path / "out").mkdir()
    variables = {
        **os.environ, "AB_DATA_DIR": str(view), "AB_OUTPUT_DIR": str(tmp_path / "out"),
        "AB_CONFIG_JSON": json.dumps({"params": {"reads": 2, "offset": 4, "flip": 0.2}, "seed": 1}),
    }  # fmt: skip
    subprocess.run([sys.executable, "-c", program], env=variables, check=True)
    rows = map(json.loads, (tmp_path / "out" / "predictions.jsonl").read_text().splitlines())
    truth = {i: a for f in (data.root / "sealed").glob("*.json") for i, a in json.loads(f.read_text()).items()}
    found = [truth[row["id"]]["answer"] == row["answer"] for row in rows]
    return sum(found) / len(found)


def test_a_patch_that_reads_the_sealed_answers_gains_nothing(
    toy: Toy, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    cheat = READS.format(home=str(toy.ctx.bench.data.root))
    enter(monkeypatch, toy.ctx.settings, db_url=toy.url)
    with served(FakeModel(says=[as_said(BEFORE, cheat)])) as model:
        monkeypatch.setenv("AUTO_BENCHMARK_CONN_LAB", model.url)
        ended = runner(monkeypatch, capsys)("propose", "--agent", "llm:lab", "--rounds", "1", "--json")
    assert ended.code == 0, ended.err
    (attempt,) = ended.json["attempts"]
    assert attempt["valid"] and attempt["score"] == ended.json["start"] < 0.9, ended.json
    assert ended.json["hypothesis"] is None and "nothing is proposed" in ended.json["reason"]
    original = (toy.files.solution / "train.py").read_text()
    assert outside(toy, original.replace(BEFORE, cheat), tmp_path) == 1.0, "there was something to read"

    (tmp_path / "cheat.diff").write_text((Path(ended.json["folder"]) / "1.patch").read_text())
    (tmp_path / "idea.yaml").write_text(
        "title: Look them up\nimplementation: {change: look, effort: Low, estimated_gain: 0.3, code: {diff: cheat.diff}}\n"
    )
    reconcile(toy.again())
    idea, document = read_idea(tmp_path / "idea.yaml")
    with toy.ctx.sessions.begin() as session:
        taken = take_in(toy.ctx, session, idea, document, tmp_path)
    assert claim(toy.ctx, "me", hypothesis_id=taken.hypothesis.id)
    run_trials(toy.ctx, plan_validation(toy.ctx, taken.hypothesis.id))
    assert not validate(toy.ctx, taken.hypothesis.id)
    with toy.ctx.sessions() as session:
        found = hypotheses.get(session=session, project=toy.ctx.project, hypothesis_id=taken.hypothesis.id)
    assert found is not None and "changes nothing" in (found.reason or "")
