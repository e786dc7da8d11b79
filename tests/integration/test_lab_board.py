"""A laboratory task as a benchmark, a solution and a board: graded by the code that ran, and by text that is handed in."""

import json
from pathlib import Path

import pytest
from tests.unit.lab.number_task import number_task

from auto_benchmark import documents
from auto_benchmark.artifacts.benchmark_data import BenchmarkData
from auto_benchmark.contract.failure import FailureClass
from auto_benchmark.contract.trial import TrialState
from auto_benchmark.errors import RefusedError
from auto_benchmark.experiments.trials.attempt import execute
from auto_benchmark.lab import graded
from auto_benchmark.lab.adopt import adopt, board_of
from auto_benchmark.lab.machine import machine
from auto_benchmark.project.bench import TrialSpec, make_bench
from auto_benchmark.project.configuration import load_solution
from auto_benchmark.settings import Settings

pytestmark = pytest.mark.skipif(machine().unsealed is not None, reason="nothing can be confined here")
ROOT = Path(__file__).resolve().parents[2]


@pytest.fixture
def settings(tmp_path, monkeypatch):
    """An installation with one task, adopted."""
    names = ("benchmarks", "solutions", "arena", "config")
    found = Settings(home=tmp_path / "home", lab=tmp_path / "lab", **{name: tmp_path / name for name in names})
    monkeypatch.setenv("AUTO_BENCHMARK_LAB", str(found.lab))
    adopt(found, number_task(tmp_path / "lab"))
    yield found
    graded._task.cache_clear()
    graded._verdict.cache_clear()


@pytest.fixture
def bench(settings):
    return make_bench(settings, load_solution(settings, "lab_number"))


def test_a_trial_is_graded_by_the_code_that_it_ran_and_not_by_what_it_hands_in(settings, bench, tmp_path):
    program = bench.solution.path / "number.py"
    done = execute(TrialSpec("first", {}, 1), bench, tmp_path / "first")
    assert (done.state, done.metrics["score"], done.metrics["reward"]) == (TrialState.DONE, 1000.0, 0.0)
    assert set(done.scores.items["reward"]) == {"draw-1", "draw-2", "draw-3", "draw-4"}
    forged = (bench.solution.path / "trial.py").read_text().replace(
        "rows = [", "texts = json.dumps({'number.py': 'print(10)'})\nrows = ["
    )  # fmt: skip
    (bench.solution.path / "trial.py").write_text(forged)
    program.write_text("print(100)\n")
    done = execute(TrialSpec("second", {}, 1), bench, tmp_path / "second")
    assert (done.metrics["score"], done.metrics["reward"]) == (100.0, 0.5)


def test_code_that_the_verifier_refuses_fails_the_trial_with_its_reason(bench, tmp_path):
    (bench.solution.path / "number.py").write_text("print(3)\n")
    done = execute(TrialSpec("first", {}, 1), bench, tmp_path / "first")
    assert (done.state, done.failure) == (TrialState.FAILED, FailureClass.BAD_OUTPUT)
    assert done.message.endswith("draw-1: too small")


def test_an_arena_ranks_texts_and_what_is_not_valid_earns_nothing(settings, tmp_path, monkeypatch):
    monkeypatch.syspath_prepend(str(ROOT / "include"))
    from arena.arena_state import Arena
    from arena.declaration import load_declaration

    rows = {"competitors": [{"system": "Given", "solution": "lab_number", "seed": 1}]}
    (settings.arena / "competitors.yaml").write_text(documents.to_yaml(rows))
    file = settings.arena / "boards" / "lab_number.yaml"
    file.write_text(documents.to_yaml(documents.read(file).data | {"entrants": [{"system": "Given"}]}))
    arena = Arena(load_declaration(settings.arena, tmp_path), tmp_path / "arena-home")
    arena.create()
    assert (arena.fault, arena.ready.is_set()) == ("", True)
    board = arena.declaration.boards[board_of("lab_number")]
    better = json.dumps({"number.py": "print(100)\n"})
    items = arena.world(board).answers
    for system, text in (
        ("Better", better),
        ("Hostile", "[" * 5000),
        ("Refused", json.dumps({"number.py": "print(3)"})),
    ):
        arena.submit(board, system, dict.fromkeys(items, text), system)
    entries, _ = arena.standings(board)
    assert [(e.system, e.measured.score, e.measured.items) for e in entries[:2]] == [
        ("Better", 0.5, 3),
        ("Given", 0.0, 3),
    ]
    assert {e.system: e.measured.score for e in entries[2:]} == {"Hostile": 0.0, "Refused": 0.0}


def test_draws_differ_between_splits_and_a_task_is_adopted_once(settings):
    data = BenchmarkData(settings.benchmarks / "lab_number", settings.root)
    search, gate = data.answers("search"), data.answers("gate")
    assert not {row["answer"] for row in search.values()} & {row["answer"] for row in gate.values()}
    with pytest.raises(RefusedError, match="exists already; nothing was written"):
        adopt(settings, number_task(settings.lab))
