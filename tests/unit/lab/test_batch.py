"""The flow's steps: tasks x repeats, each resumable, and a report about them."""

from types import SimpleNamespace

import pytest
from tests.command_line import runner
from tests.unit.lab.number_task import number_task

from auto_benchmark.errors import InputError
from auto_benchmark.flows.lab_run import FLOW
from auto_benchmark.lab import steps
from auto_benchmark.lab.machine import machine
from auto_benchmark.settings import Settings
from auto_benchmark.sources.connection import NamedConnections
from auto_benchmark.tracking.trial_run import TrialRun

DEFAULTS = {p.name: p.default for p in FLOW.parameters}


@pytest.fixture
def ctx(tmp_path):
    number_task(tmp_path / "lab")
    settings = Settings(lab=tmp_path / "lab", home=tmp_path / "home")
    said: list[str] = []
    return SimpleNamespace(
        settings=settings, home=tmp_path / "home" / "p", connections=NamedConnections({}), say=said.append, said=said,
        project="p", trial_name_prefix="ab-p-",
    )  # fmt: skip


def test_all_tasks_and_repeats_are_planned(ctx):
    planned = steps.plan_lab(ctx, **{**DEFAULTS, "repeats": "2"})
    assert [(each["task"], each["repeat"], each["agent"]) for each in planned] == [
        ("number", 1, "evolve"), ("number", 2, "evolve")]  # fmt: skip


@pytest.mark.parametrize(
    ("parameter", "value", "said"),
    [
        ("attempts", "many", "attempts: "), ("repeats", "0", "repeats: "), ("feedback", "maybe", "feedback: "),
        ("agent", "evolv", "did you mean"), ("agent", "llm:NOWHERE", "no connection"), ("tasks", "nmber", "no task"),
        ("money", "much", "money: "), ("price", "-1", "price: "),
        ("out", "../x", "not the name of a folder"), ("agent", "tune:x", "takes no argument"),
    ],
)  # fmt: skip
def test_a_wrong_parameter_is_named(ctx, parameter, value, said):
    with pytest.raises(InputError, match=said):
        steps.plan_lab(ctx, **{**DEFAULTS, parameter: value})


def test_money_is_planned_and_bounds_a_run(ctx):
    [element] = steps.plan_lab(ctx, **{**DEFAULTS, "money": "2.5", "price": "3"})
    assert (element["money"], element["price"]) == (2.5, 3.0)
    [unbounded] = steps.plan_lab(ctx, **DEFAULTS)
    assert unbounded["money"] is None


@pytest.mark.skipif(machine().unsealed is not None, reason="nothing can be confined here")
def test_a_run_of_the_flow_resumes_and_is_reported(ctx):
    [element] = steps.plan_lab(ctx, **{**DEFAULTS, "agent": "tune", "attempts": "1"})
    first = steps.run_lab_task(ctx, element)
    assert first["task"] == "number" and first["valid"] and first["reward"] > 0
    assert any("attempt 1 of 1" in line for line in ctx.said)
    [noted] = (ctx.home / "tracking").glob("*.json")
    run = TrialRun.model_validate_json(noted.read_text())
    assert (run.experiment, run.state, run.metrics["reward"] > 0) == ("lab/lab_run/number-1", "done", True)
    noted.unlink()
    assert steps.run_lab_task(ctx, element) == first
    assert TrialRun.model_validate_json(noted.read_text()) == run, "noted again, it is the same run"
    told = steps.report_lab(ctx, "lab_run")
    assert (told["runs"], told["tasks"], told["agents"]) == (1, 1, 1)
    assert "number" in (ctx.home / "lab" / "lab_run" / "LAB_REPORT.md").read_text()


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["run", "number", "--agent", "evolv", "--out", "o"], "did you mean"),
        (["run", "nmber", "--agent", "tune", "--out", "o"], "no task"),
        (["run", "number", "--agent", "llm:NOWHERE", "--out", "o"], "AUTO_BENCHMARK_CONN_NOWHERE"),
        (["run", "number", "--agent", "tune", "--out", "lab/number/task.toml"], "cannot be written"),
        (
            ["run", "number", "--agent", "tune", "--out", "o", "--attempts", "3", "--shock", "4"],
            "shock: 4, but there are 3",
        ),
        (["run", "number", "--agent", "llm:X", "--out", "o", "--money", "2"], "without a price"),
        (["report", "nowhere"], "no such folder"),
        (["report", "lab"], "no finished run"),
    ],
)
def test_what_a_person_gets_wrong_is_said(words, said, tmp_path, monkeypatch, capsys):
    number_task(tmp_path / "lab")
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("AUTO_BENCHMARK_LAB", "lab")
    ended = runner(monkeypatch, capsys)("lab", *words)
    assert ended.code == 2 and said in ended.err and "Traceback" not in ended.said
