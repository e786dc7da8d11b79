"""``kill -9`` of a sweep while one tree's trials have ended and the other's have not; the next run goes on from there."""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy import text
from tests.toy_project import Toy, environment
from tests.waiting import eventually

from auto_benchmark.db.repositories import hypotheses
from auto_benchmark.ideas.file import read_idea
from auto_benchmark.ideas.intake import take_in
from auto_benchmark.ideas.steps import reconcile

FLIP = 'rng.random() < params["flip"]'
WORSE = {"a": "rng.random() < 0.45", "b": "rng.random() < 0.4"}
IDEA = "title: {name}\nimplementation: {{change: c, effort: Low, estimated_gain: {gain}, code: {{folder: {name}}}}}\n"
TRIALS = """SELECT id, purpose, tree, seed, state, finished_at, fingerprint->>'code' AS ran, stage
FROM auto_benchmark.trials ORDER BY id"""


def proposed(toy: Toy, name: str, gain: float, tmp_path: Path) -> str:
    folder = shutil.copytree(toy.files.solution, tmp_path / name)
    program = (folder / "train.py").read_text()
    assert FLIP in program
    (folder / "train.py").write_text(program.replace(FLIP, WORSE[name]))
    (tmp_path / f"{name}.yaml").write_text(IDEA.format(name=name, gain=gain))
    idea, document = read_idea(tmp_path / f"{name}.yaml")
    with toy.ctx.sessions.begin() as session:
        return take_in(toy.ctx, session, idea, document, tmp_path).hypothesis.id


def rows(toy: Toy) -> list[Any]:
    with toy.ctx.sessions() as session:
        return list(session.execute(text(TRIALS)).all())


def gate(toy: Toy, tree: str) -> list[Any]:
    return [row for row in rows(toy) if row.tree == tree and row.stage == "full"]


@pytest.mark.timeout(400)
def test_a_killed_sweep_goes_on_between_two_trees(toy: Toy, tmp_path: Path) -> None:
    reconcile(toy.ctx)
    first, second = (proposed(toy, name, gain, tmp_path) for name, gain in (("a", 0.9), ("b", 0.8)))
    with toy.ctx.sessions() as session:
        found = {each.id: each for each in hypotheses.listed(session=session, project=toy.ctx.project)}
    one, other = found[first].tree, found[second].tree
    variables = environment(toy.ctx.settings, db_url=toy.url, parallel_trials=1)
    words = [sys.executable, "-m", "auto_benchmark", "loop", "run", "--cycles", "1"]

    def started() -> subprocess.Popen[bytes]:
        log = (tmp_path / "loop.log").open("ab")
        return subprocess.Popen(
            words, env={**os.environ, **variables, "PYTHONPATH": "include"}, stdout=log, stderr=log
        )

    def between_them() -> bool:
        """The candidate's trial is done, and the control's on the other tree are not all."""
        control = [row.state for row in rows(toy) if row.purpose == "control"]
        return any(row.state == "done" for row in gate(toy, one)) and control.count("done") < len(control)

    running = started()
    eventually(between_them, "one tree's trial beside another's", every_s=0.05)
    running.send_signal(signal.SIGKILL)
    running.wait()
    done = [row for row in rows(toy) if row.state == "done"]
    assert any(row.state != "done" for row in rows(toy)) and gate(toy, other) == []

    again = started()
    eventually(lambda: gate(toy, other), "a trial of the second candidate", every_s=0.05)
    again.send_signal(signal.SIGKILL)
    again.wait()
    done += [row for row in rows(toy) if row.state == "done" and row.id not in {each.id for each in done}]

    assert started().wait(300) == 0, (tmp_path / "loop.log").read_text()[-2000:]
    ended = rows(toy)
    assert [row for row in ended if row.id in {each.id for each in done}] == sorted(done), "nothing runs twice"
    assert {row.state for row in ended} <= {"done", "cancelled"}, [row.state for row in ended]
    assert all(row.ran == row.tree for row in ended if row.state == "done"), "each ran its own tree"
    assert len({(row.tree, row.purpose, row.seed, row.stage) for row in ended}) == len(ended)
    with toy.ctx.sessions() as session:
        for hypothesis in (first, second):
            told = hypotheses.get(session=session, project=toy.ctx.project, hypothesis_id=hypothesis)
            assert told is not None and told.status == "archived" and "futile" in (told.reason or ""), told
        judged = session.execute(
            text("SELECT count(*), count(DISTINCT (experiment_id, look)) FROM auto_benchmark.promotion_decisions")
        ).one()
    assert judged[0] == judged[1] >= 2, "each look is decided once"
