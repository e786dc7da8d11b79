"""Runs as the page shows them: finished ones, those that go on, and damaged ones."""

import json

import pytest
from tests.unit.lab.number_task import number_task
from tests.unit.lab.test_run import Recorder

from auto_benchmark.lab.machine import machine
from auto_benchmark.lab.plan import Plan
from auto_benchmark.lab.read_model import lab_runs
from auto_benchmark.lab.report import write_report
from auto_benchmark.lab.run import run

pytestmark = pytest.mark.skipif(machine().unsealed is not None, reason="nothing can be confined here")


def test_attempts_curve_medal_and_state_are_shown_and_a_damaged_run_hides_no_other(tmp_path):
    task, runs = number_task(tmp_path / "lab"), tmp_path / "runs"
    told = run(task, Recorder(), Plan("number", "recorder", 2, seeds=1), runs / "a")
    found = lab_runs(runs)
    [shown] = found["runs"]
    assert (shown["folder"], shown["state"], shown["medal"], shown["chosen"]) == ("a", "finished", "bronze", 2)
    assert [row["score"] for row in shown["made"]] == [450.0, 400.0] and found["faults"] == []
    assert shown["curve"] == [row["reward"] for row in told["attempts"]] and shown["result"] == told["result"]
    write_report([runs], tmp_path / "report")
    data = json.loads((tmp_path / "report" / "lab_report.json").read_text())
    assert data["folders"] == {str(runs): found} and data["cells"][0]["medal"] == "bronze"
    (runs / "b").mkdir()
    (runs / "b" / "run.json").write_text("[]")
    (runs / "a" / "result.json").unlink()
    found = lab_runs(runs)
    assert [(r["folder"], r["state"], r["result"], r["medal"]) for r in found["runs"]] == [
        ("a", "unfinished", None, "")
    ]
    [fault] = found["faults"]
    assert fault["folder"] == "b" and fault["fault"].endswith("run.json: is not the description of a run")
