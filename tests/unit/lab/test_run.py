"""Runs of agents on a task: verified for real, killed for real, told the truth or not."""

import json
import os
import random
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest
from tests.command_line import runner
from tests.unit.lab.number_task import PROGRAM, number_task

from auto_benchmark.agents.patch import unified
from auto_benchmark.agents.registry import agent_from
from auto_benchmark.agents.workspace import File, editable_files, write_files
from auto_benchmark.errors import InputError, RefusedError
from auto_benchmark.lab.machine import machine
from auto_benchmark.lab.plan import Feedback, Plan
from auto_benchmark.lab.report import write_report
from auto_benchmark.lab.run import run
from auto_benchmark.lab.run_folder import RunFolder

pytestmark = pytest.mark.skipif(machine().unsealed is not None, reason="nothing can be confined here")
KILLS = 5
AGENT = """#!{python}
import json, os, pathlib, subprocess, sys
brief = json.load(open(os.environ["AB_BRIEF"]))
file = pathlib.Path("number.py")
n = len(brief["history"])
pathlib.Path("seen-%d.json" % n).write_text(json.dumps(brief))
if n == 3:
    sys.exit(3)
if n == 1:
    sys.exit(9)
file.write_text("print(%d)" % [400, 0, 5][n])
told = json.loads(subprocess.check_output([os.environ["AB_MEASURE"]]))
pathlib.Path("told-%d.json" % n).write_text(json.dumps(told))
pathlib.Path(".ab").mkdir(exist_ok=True)
pathlib.Path(".ab/choice").write_text("1")
"""


@pytest.fixture(scope="module")
def task(tmp_path_factory):
    return number_task(tmp_path_factory.mktemp("lab"))


def recording(folder: Path, numbers: list[int]) -> str:
    """A replay that prints one number after the other."""
    folder.mkdir()
    before = {"number.py": File(PROGRAM.encode())}
    for n, number in enumerate(numbers, 1):
        after = {"number.py": File(f"print({number})\n".encode())}
        (folder / f"{n}.patch").write_text(unified(before, after))
        before = after
    return f"replay:{folder}"


def test_a_program_works_is_told_and_chooses(task, tmp_path, monkeypatch, capsys):
    program = tmp_path / "agent.py"
    program.write_text(AGENT.format(python=sys.executable))
    program.chmod(0o755)
    monkeypatch.setenv("AUTO_BENCHMARK_LAB", str(task.folder.parent))
    words = [
        "lab",
        "run",
        "number",
        "--agent",
        f"command:{program}",
        "--attempts",
        "5",
        "--out",
        str(tmp_path / "out"),
    ]
    run_ = runner(monkeypatch, capsys)
    told = run_(*words, "--json").json
    assert [(a["attempt"], a["valid"], a["score"]) for a in told["attempts"]] == [
        (1, True, 400.0), (2, False, None), (3, False, None)]  # fmt: skip
    assert set(told["attempts"][0]) == {"attempt", "seconds", "valid", "score", "reward", "reason"}
    assert told["attempts"][2]["reason"].endswith("too small")
    assert told["chosen"] == 1
    assert told["result"]["seeds"] == 3 and told["result"]["interval"] == [400.0, 400.0]
    assert told["reward"] == told["result"]["reward"] == pytest.approx(told["attempts"][0]["reward"])
    assert len({v["seed"] for v in told["result"]["verdicts"]}) == 3
    assert set(told["resilience"]) >= {
        "closed_loop_gain",
        "recovery",
        "recovery_expected",
        "pivots",
        "shock_attempts",
    }
    left = tmp_path / "out" / "state" / "4"
    [one, two, three] = json.loads((left / "seen-3.json").read_text())["history"]
    assert (one["valid"], one["score"], one["reward"]) == (True, 400.0, pytest.approx(told["reward"]))
    assert not two["valid"] and not three["valid"] and "print(400)" in one["patch"]
    measured = json.loads((left / "told-2.json").read_text())
    assert measured["valid"] is False and "too small" in measured["feedback"]
    assert measured["budget_left"]["measures_left"] == 5 * 8 - 2
    assert len((tmp_path / "out" / "measures.jsonl").read_text().splitlines()) == 2
    assert run_(*words, "--json").json == told, "a finished run is told again"
    again = run_(*[w if w != "5" else "6" for w in words])
    assert again.code == 2 and "changed: attempts" in again.err


def test_a_run_that_is_killed_five_times_loses_and_doubles_nothing(task, tmp_path):
    numbers = [900, 800, 5, 700, 600, 500]
    agent = recording(tmp_path / "recording", numbers)
    code = (
        "import sys; from pathlib import Path; from auto_benchmark.lab.catalog import load;"
        "from auto_benchmark.settings import Settings; from auto_benchmark.lab.run import run;"
        "from auto_benchmark.lab.plan import Plan; from auto_benchmark.agents.registry import agent_from;"
        "print('begins', flush=True);"
        "run(load(Settings(lab=Path(sys.argv[1])), 'number'), agent_from(sys.argv[2]),"
        " Plan('number', sys.argv[2], 6, seeds=2), Path(sys.argv[3]))"
    )
    command = [sys.executable, "-c", code, str(task.folder.parent), agent, str(tmp_path / "out")]
    rng, killed = random.Random(), 0
    while killed < KILLS:
        process = subprocess.Popen(command, stdout=subprocess.PIPE, text=True, env=os.environ, start_new_session=True)
        assert process.stdout.readline() == "begins\n"
        time.sleep(rng.uniform(0.05, 1.0))
        is_over = process.poll() is not None
        os.killpg(process.pid, signal.SIGKILL) if not is_over else None
        process.wait()
        if is_over:
            break
        killed += 1
        rows = RunFolder(tmp_path / "out").attempts()
        assert [row.attempt for row in rows] == list(range(1, len(rows) + 1))
    told = run(task, agent_from(agent), Plan("number", agent, 6, seeds=2), tmp_path / "out")
    assert killed >= 3
    assert [a["score"] for a in told["attempts"]] == [900.0, 800.0, None, 700.0, 600.0, 500.0]
    assert [a["attempt"] for a in told["attempts"]] == [1, 2, 3, 4, 5, 6]
    assert told["chosen"] == 6 and told["result"]["score"] == 500.0
    for n, number in enumerate(numbers, 1):
        left = editable_files(tmp_path / "out" / "state" / str(n), ["number.py"]).files
        assert left["number.py"].content == f"print({number})\n".encode()
    assert told["resilience"]["recovery"] == 1.0


class Recorder:
    """Prints one number less at each attempt, and remembers what it was told."""

    name = "recorder"

    def __init__(self):
        self.briefs, self.answers, self.began = [], [], []

    def attempt(self, workspace, brief, measure):
        from auto_benchmark.agents.agent import AttemptOutcome, Turn

        self.briefs.append(brief)
        self.began.append((workspace / "number.py").read_text())
        number = 500 - len(self.briefs) * 50
        write_files(workspace, {"number.py": File(f"print({number})\n".encode())})
        self.answers.append(measure(workspace).score)
        return Turn(AttemptOutcome.EVALUATE, log=str(number))


HOSTILE = r"""#!{python}
import json, os, pathlib, shutil
at = len(json.load(open(os.environ["AB_BRIEF"]))["history"])
here = pathlib.Path(os.environ["AB_WORKSPACE"])
file = here / "number.py"
if file.is_symlink() or file.is_file():
    file.unlink()
elif file.is_dir():
    file.rmdir()
elif file.exists():
    file.unlink()
programs = dict(
    floods="print('1' * 40_000_000)", many="print('1' * 10_000_000)", nan="print('nan')", inf="print(1e999)",
    forks="import os\nwhile True: os.fork()", deletes="import os, shutil\nshutil.rmtree(os.getcwd())",
    fills="open('x', 'wb').write(b'x' * 10**9)", memory="bytearray(10**10)", good="print(50)",
)
odd = dict(
    link=lambda: file.symlink_to("/etc/passwd"), folder=file.mkdir, pipe=lambda: os.mkfifo(file),
    large=lambda: file.write_text("#" * 10_000_000), gone=lambda: shutil.rmtree(here),
    bytes=lambda: file.write_bytes(bytes([255])),
)
kind = [*odd, *programs][at]
odd[kind]() if kind in odd else file.write_text(programs[kind])
"""
SAID = {
    "link": "a link", "folder": "number.py", "pipe": "not a regular file", "large": "too large", "gone": "is gone",
    "bytes": "SyntaxError", "floods": "wrote more than 16 MiB", "many": "is no number", "nan": "is no number",
    "inf": "is no number", "forks": "Operation not permitted", "deletes": "exit code 1", "fills": "Read-only file system",
    "memory": "MemoryError", "good": "",
}  # fmt: skip


def test_whatever_an_attempt_leaves_the_run_goes_on(task, tmp_path):
    program = tmp_path / "agent.py"
    program.write_text(HOSTILE.replace("{python}", sys.executable))
    program.chmod(0o755)
    agent = agent_from(f"command:{program}", {})
    told = run(task, agent, Plan("number", "hostile", len(SAID), measures=0, seeds=1), tmp_path / "run")
    reasons = dict(zip(SAID, told["attempts"], strict=True))
    assert [kind for kind, row in reasons.items() if row["reward"]] == ["good"]
    assert reasons["link"]["score"] == 1000, "a link is not taken: the file is as it was"
    for kind, said in SAID.items():
        assert said in reasons[kind]["reason"], f"{kind}: {reasons[kind]['reason']}"
    assert told["chosen"] == len(SAID) and told["reward"] > 0


def test_without_measures_the_command_says_that_none_are_left(task, tmp_path):
    program = tmp_path / "agent.sh"
    program.write_text('#!/bin/sh\n"$AB_MEASURE" > said\ntest $? = 2\n')
    program.chmod(0o755)
    run(task, agent_from(f"command:{program}", {}), Plan("number", "asks", 1, measures=0, seeds=1), tmp_path / "run")
    said = json.loads((tmp_path / "run" / "state" / "1" / "said").read_text())
    assert (said["valid"], said["score"], said["feedback"]) == (False, None, "no measures are left")
    assert said["budget_left"]["measures_left"] == 0


def test_independent_attempts_know_nothing_and_the_best_one_is_taken(task, tmp_path):
    agent = Recorder()
    told = run(task, agent, Plan("number", "recorder", 2, seeds=1, feedback=Feedback.NONE), tmp_path / "out")
    assert [brief.history for brief in agent.briefs] == [(), ()]
    assert agent.began == [PROGRAM, PROGRAM]
    assert agent.briefs[0].context["seed"] != agent.briefs[1].context["seed"]
    assert told["chosen"] == 2 and told["result"]["interval"] == [None, None]


def test_a_sham_is_told_of_another_run_and_its_gain_is_measured(task, tmp_path):
    agent = Recorder()
    plan = Plan("number", "recorder", 2, seeds=1, feedback=Feedback.SHAM)
    told = run(task, agent, plan, tmp_path / "out")
    assert [a["score"] for a in told["attempts"]] == [350.0, 300.0], "the first two attempts were the donor's"
    donors = {450.0, 400.0}
    assert {past.score for past in agent.briefs[-1].history} <= donors
    assert agent.answers[:2] == [450.0, 400.0]
    gain = told["resilience"]["closed_loop_gain"]
    assert gain < 0, "the donor's programs were the worse ones"
    report = write_report([tmp_path / "out"], tmp_path / "report")
    assert report["runs"] == 2 and {c["arm"] for c in report["cells"]} == {"true", "sham"}


def test_a_shock_is_told_and_the_truth_is_kept(task, tmp_path):
    agent = Recorder()
    told = run(task, agent, Plan("number", "recorder", 2, seeds=1, shock=1), tmp_path / "out")
    assert [a["valid"] for a in told["attempts"]] == [True, True]
    [past] = agent.briefs[1].history
    assert (past.valid, past.score) == (False, None)
    assert told["resilience"]["shock_attempts"] == 1


def test_a_folder_belongs_to_one_run_at_a_time(task, tmp_path):
    folder = RunFolder(tmp_path / "out")
    with folder.locked(), pytest.raises(RefusedError, match="another run works"):
        run(task, Recorder(), Plan("number", "recorder", 1), tmp_path / "out")


def test_a_report_says_that_no_model_ran_and_escapes_names(task, tmp_path):
    place = tmp_path / "run"
    run(task, Recorder(), Plan("number", "recorder", 1, seeds=1), place)
    identity = json.loads((place / "run.json").read_text())
    (place / "run.json").write_text(json.dumps({**identity, "agent": "command:<b>|x"}))
    write_report([place], tmp_path / "report")
    text = (tmp_path / "report" / "LAB_REPORT.md").read_text()
    assert "No frontier model was run" in text and "--agent llm:CONN" in text
    assert "<b>" not in text and "\\<b\\>\\|x" in text
    assert (tmp_path / "report" / "curves.png").read_bytes().startswith(b"\x89PNG")
    independent = Plan("number", "command:<b>|x", 2, seeds=1, feedback=Feedback.NONE)
    run(task, Recorder(), independent, tmp_path / "longer")
    write_report([place, tmp_path / "longer"], tmp_path / "both")
    text = (tmp_path / "both" / "LAB_REPORT.md").read_text()
    assert (
        "true against none: left out, since the arms were not given equal attempts, measures and minutes: number."
        in text
    )
    with pytest.raises(InputError, match="cannot be written"):
        write_report([place], tmp_path / "report" / "LAB_REPORT.md")
    (place / "result.json").write_text("{}")
    (place / "run.json").write_text(json.dumps(identity))
    with pytest.raises(InputError, match=r"result.json:1: reward: is required"):
        write_report([place], tmp_path / "report")
    with pytest.raises(InputError, match=r"result.json:1: reward: is required"):
        run(task, Recorder(), Plan("number", "recorder", 1, seeds=1), place)
