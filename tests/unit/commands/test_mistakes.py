"""What a user gets wrong ends in one line that says so, never in a traceback."""

from __future__ import annotations

import os

import pytest
from tests.toy_project import ToyFiles, enter

from auto_benchmark.errors import InputError
from auto_benchmark.project.transfer import export_project
from auto_benchmark.settings import Settings

LARGEST = 2**63 - 1


@pytest.fixture
def toy(monkeypatch, tmp_path):
    """The toy solution's places, and a trial of it."""
    enter(monkeypatch, ToyFiles(tmp_path).settings())
    trial = tmp_path / "trial.yaml"
    trial.write_text("solution: toy\n")
    return trial


def test_a_trial_that_cannot_write_where_it_is_told_to(command, toy, tmp_path):
    (tmp_path / "file").write_text("kept")
    for out in (tmp_path / "file", tmp_path / "file" / "below", "/proc/x"):
        ended = command("trial", "run", toy, "--seed", 1, "--out", out, "--runner", "local")
        *_, last = ended.err.splitlines()
        assert (ended.code, last.startswith(f"error: {out}: cannot be written: ")) == (2, True), ended.err
    assert (tmp_path / "file").read_text() == "kept"


def test_a_solution_that_is_not_there_is_a_fault_of_the_trial_file(command, toy, tmp_path):
    toy.write_text("stage: fast\nsolution: nobody\n")
    ended = command("trial", "run", toy, "--seed", 1, "--out", tmp_path / "out")
    assert (ended.code, "trial.yaml:2: solution: no solution 'nobody'" in ended.err) == (2, True)


def test_a_trial_file_names_line_and_field(command, toy, tmp_path):
    toy.write_text("solution: toy\nparams: [1]\nstage: middle\nsubset: half\n")
    ended = command("trial", "run", toy, "--seed", 1, "--out", tmp_path / "out")
    assert (ended.code, [line.partition("trial.yaml:")[2] for line in ended.err.splitlines()]) == (
        2,
        [
            "2: params: should be a mapping, is a list",
            "3: stage: should be 'fast', 'full' or 'submit', is 'middle'",
            "4: subset: should be a valid number, is 'half'",
        ],
    )
    toy.write_text("solution: toy\nstage: submit\n")
    ended = command("trial", "run", toy, "--seed", 1, "--out", tmp_path / "out")
    assert (ended.code, "trial.yaml:2: stage: submit needs an arena" in ended.err) == (2, True)


def test_an_archive_that_cannot_be_written(sessions, project, tmp_path):
    (tmp_path / "file").write_text("")
    for archive, reason in ((tmp_path, "is a directory"), (tmp_path / "file" / "x.tar.gz", "cannot be written: ")):
        with pytest.raises(InputError) as told:
            export_project(Settings(home=tmp_path / "home"), sessions, project, archive)
        assert str(told.value).startswith(f"{archive}: {reason}")
    assert [p.name for p in tmp_path.iterdir()] == ["file"]


@pytest.mark.parametrize(
    "words",
    [
        ("stats", "replay"),
        ("trial", "rerun"),
        ("trial", "evaluate"),
        ("trial", "rescore"),
        ("invalidate", "trial", "--reason", "x"),
    ],
)
@pytest.mark.parametrize("number", [0, LARGEST + 1, 99999999999999999999999])
def test_a_number_that_no_row_has_is_refused_before_the_database(command, monkeypatch, words, number):
    monkeypatch.setenv("AUTO_BENCHMARK_DB_URL", "postgresql://127.0.0.1:9/nowhere")
    ended = command(*words, number)
    bound = f"less than or equal to {LARGEST}" if number else "greater than or equal to 1"
    assert ended.code == 2
    assert bound in " ".join(ended.err.replace("│", "").split())
    assert "Traceback" not in ended.err


@pytest.mark.parametrize(
    ("name", "value", "told"),
    [
        ("RUNNER", "banana", "should be 'local', 'docker' or 'kubernetes'"),
        ("PARALLEL_TRIALS", "0", "should be greater than or equal to 1"),
        ("ALLOW_PRIVATE_ADDRESSES", "perhaps", "should be a valid boolean"),
    ],
)
def test_a_setting_that_makes_no_sense_is_named(command, monkeypatch, toy, tmp_path, name, value, told):
    monkeypatch.setenv(f"AUTO_BENCHMARK_{name}", value)
    ended = command("trial", "run", toy, "--seed", 1, "--out", tmp_path / "out")
    [line] = ended.err.splitlines()
    assert (ended.code, line.startswith(f"AUTO_BENCHMARK_{name}: {told}")) == (2, True), line


def test_a_home_that_cannot_be_made(command, monkeypatch, toy, tmp_path):
    sweep = tmp_path / "sweep.yaml"
    sweep.write_text(SWEEP)
    monkeypatch.setenv("AUTO_BENCHMARK_HOME", str(toy / "home"))
    for words in (("trial", "run", toy, "--seed", 1), ("sweep", "run", sweep)):
        ended = command(*words, "--out", tmp_path / "out")
        told = f"error: AUTO_BENCHMARK_HOME: {toy / 'home'} cannot be written: Not a directory\n"
        assert (ended.code, ended.err) == (2, told)


def test_a_database_out_of_reach_is_one_line_without_the_password(command, monkeypatch):
    monkeypatch.setenv("AUTO_BENCHMARK_DB_URL", "postgresql://me:s3cr3t@127.0.0.1:9/project")
    ended = command("status")
    [line] = ended.err.splitlines()
    assert (ended.code, line.startswith("error: the project database cannot be used: ")) == (1, True)
    assert "127.0.0.1" in line and "s3cr3t" not in line


SWEEP = """\
name: s
solution: toy
datasets: [{name: toy, version: "1", split: search}]
metrics: {primary: accuracy}
configurations: [{name: a}]
seeds: [1]
"""


def test_the_command_line_runs_no_trials_on_a_cluster(command, monkeypatch, toy, tmp_path):
    told = "the command line does not run trials on kubernetes; there are docker, local"
    sweep, out = tmp_path / "sweep.yaml", tmp_path / "out"
    sweep.write_text(f"{SWEEP}runner: kubernetes\n")
    ended = command("sweep", "run", sweep, "--out", out)
    assert (ended.code, ended.err.endswith(f"sweep.yaml:7: runner: {told}\n")) == (2, True), ended.err
    trial = ("trial", "run", toy, "--seed", 1, "--out", out)
    for words in ((*trial, "--runner", "kubernetes"), ("doctor", "toy", "--runner", "kubernetes")):
        ended = command(*words)
        assert (ended.code, ended.err) == (2, f"error: {told}\n")
    assert command(*trial, "--runner", "cloud").err == "error: no runner is called 'cloud'; there are docker, local\n"
    monkeypatch.setenv("AUTO_BENCHMARK_RUNNER", "kubernetes")
    sweep.write_text(SWEEP)
    for words in (trial, ("sweep", "run", sweep, "--out", out)):
        assert command(*words).err == f"error: AUTO_BENCHMARK_RUNNER: {told}\n"
    assert not out.exists()


def test_a_misspelt_metric_of_a_sweep(command, toy, tmp_path):
    sweep = tmp_path / "sweep.yaml"
    sweep.write_text(SWEEP.replace("primary: accuracy", "primary: acuracy"))
    ended = command("sweep", "run", sweep, "--out", tmp_path / "out")
    told = "sweep.yaml:4: metrics.primary: no metric 'acuracy'; did you mean 'accuracy'?\n"
    assert (ended.code, ended.err.endswith(told)) == (2, True), ended.err


def test_a_report_that_is_a_link_to_itself_cannot_be_read(command, toy, tmp_path):
    loop = tmp_path / "loop.html"
    loop.symlink_to(loop)
    ended = command("research", "competitor", "X", loop)
    assert (ended.code, "loop.html" in ended.err) == (2, True), ended.err


def test_papers_that_are_a_link_to_itself_cannot_be_read(command, tmp_path):
    loop = tmp_path / "loop.jsonl"
    loop.symlink_to(loop)
    ended = command("research", "extract", loop)
    assert (ended.code, "loop.jsonl: cannot be read" in ended.err) == (2, True), ended.err


def test_of_two_documents_the_one_that_cannot_be_read_is_named(command, toy, tmp_path):
    for name, header in (("old.csv", "model,score"), ("new.csv", "model,points")):
        (tmp_path / name).write_text(f"{header}\nA,0.9\n")
    spec = tmp_path / "spec.yaml"
    spec.write_text("name: B\nscrape_method: csv\nprimary_metric: score\nhigher_is_better: true\n")
    ended = command("leaderboard", "diff", tmp_path / "old.csv", tmp_path / "new.csv", "--spec", spec)
    assert (ended.code, "new.csv" in ended.err, "old.csv" in ended.err) == (2, True, False), ended.err


def test_a_named_pipe_is_no_file_and_is_not_waited_for(command, toy, tmp_path):
    os.mkfifo(tmp_path / "pipe.yaml")
    ended = command("trial", "run", tmp_path / "pipe.yaml", "--seed", 1, "--out", tmp_path / "out")
    assert (ended.code, ended.err.endswith("pipe.yaml: is not a regular file\n")) == (2, True), ended.err


@pytest.mark.parametrize("words", [("solution", "new_one", "--benchmark"), ("project", "new_one", "--solution")])
def test_a_name_that_no_file_can_have_is_the_name_of_none(command, toy, words):
    ended = command("new", *words, "a" * 300)
    [line] = ended.err.splitlines()
    assert (ended.code, line.startswith(f"error: no {words[2].removeprefix('--')} 'aaa")) == (2, True), line


@pytest.mark.parametrize("words", [("check",), ("new", "project", "mine")])
def test_what_the_file_system_refuses_is_told_as_such(command, monkeypatch, toy, tmp_path, words):
    monkeypatch.setenv("AUTO_BENCHMARK_CONFIG", str(tmp_path / ("c" * 300)))
    ended = command(*words)
    *_, last = ended.err.splitlines()
    assert (ended.code, last.startswith(f"error: {tmp_path}"), "File name too long" in last) == (2, True, True), last


@pytest.mark.parametrize("name", ["true", "null", "on", "no"])
def test_a_name_that_yaml_reads_as_something_else_is_a_name(command, toy, name):
    assert command("new", "project", name, "--json").code == 0
    assert f"/{name}/" not in command("check").err
