"""An agent that is a program: what it is told, what is taken from it, and what it cannot do."""

from __future__ import annotations

import json
import stat
import sys
import tempfile
import time
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest
from tests.unit.agents.conftest import BUDGET, make_brief

from auto_benchmark.agents.agent import AttemptOutcome, Turn
from auto_benchmark.agents.brief import Brief, PastAttempt
from auto_benchmark.agents.chosen import chosen
from auto_benchmark.agents.command import CommandAgent
from auto_benchmark.agents.measure import Measure, Measured
from auto_benchmark.agents.recording import record
from auto_benchmark.agents.registry import agent_from
from auto_benchmark.agents.workspace import File, all_files, with_notes
from auto_benchmark.errors import InputError
from auto_benchmark.registry.solution import Resources

Program = Callable[[str], Path]
SMALL = Resources(memory_mb=256, pids=30, output_mb=20)


def run(program: Path, workspace: Path, brief: Brief | None = None, measure: Measure | None = None) -> Turn:
    agent = replace(CommandAgent.at(str(program)), resources=SMALL)
    return agent.attempt(workspace, brief or make_brief(), measure)


def value_of_x(folder: Path) -> Measured:
    """Scores a candidate by the number in its program."""
    text = (folder / "main.py").read_text()
    try:
        return Measured(True, float(text.removeprefix("x = ")), f"read {text.strip()}")
    except ValueError:
        return Measured(False, None, "main.py: not a number")


def test_its_edits_are_taken_and_its_exit_code_is_the_outcome(program: Program, workspace: Path) -> None:
    turn = run(program("(workspace / 'main.py').write_text('x = 2\\n'); print('done it')"), workspace)
    assert (turn.outcome, turn.reason, turn.log) == (AttemptOutcome.EVALUATE, "", "done it\n")
    assert (workspace / "main.py").read_text() == "x = 2\n"
    assert run(program("sys.exit(3)"), workspace).outcome is AttemptOutcome.DONE
    failed = run(program("sys.exit('no idea')"), workspace)
    assert (failed.outcome, failed.reason) == (AttemptOutcome.FAILED, "exit 1: no idea")


def test_it_is_told_the_brief_and_nothing_of_ours(program, workspace, monkeypatch) -> None:
    monkeypatch.setenv("AUTO_BENCHMARK_TOKEN_BOARD", "s3cret")
    past = PastAttempt(1, True, 0.5, None, "better", "--- a\n")
    brief = make_brief(history=(past,), context={"papers": ["«quoted»"]})
    code = "(workspace / 'main.py').write_text(json.dumps([brief, dict(os.environ), os.getcwd()]))"
    assert run(program(code), workspace, brief).outcome is AttemptOutcome.EVALUATE
    told, environment, working = json.loads((workspace / "main.py").read_text())
    assert told == json.loads(json.dumps(brief.to_json()))
    assert set(told) == {
        "task",
        "instruction",
        "metric",
        "higher_is_better",
        "editable",
        "budget",
        "history",
        "context",
    }
    assert told["budget"] == {"attempts_left": 3, "seconds_left": 60.0, "money_left": None, "measures_left": 3}
    assert working == environment["AB_WORKSPACE"]
    assert {name for name in environment if name.startswith("AB_")} == {"AB_WORKSPACE", "AB_BRIEF"}
    assert "s3cret" not in str(environment)


def test_only_what_is_editable_is_taken(program: Program, workspace: Path) -> None:
    code = (
        "(workspace / 'fixed.py').unlink(); (workspace / 'main.py').unlink(); (workspace / 'kept').write_text('n')\n"
    )
    code += "(workspace / '.ab').mkdir(); (workspace / '.ab' / 'notes').write_text('first idea')"
    assert run(program(code), workspace).outcome is AttemptOutcome.EVALUATE
    assert all_files(workspace).files == {"fixed.py": File(b"y = 1\n"), "kept": File(b"n")}
    again = "assert (workspace / '.ab' / 'notes').read_text() == 'first idea' and (workspace / 'kept').exists()"
    assert run(program(again), workspace).outcome is AttemptOutcome.EVALUATE


def test_each_attempt_starts_from_the_files_of_the_one_before(program: Program, workspace: Path) -> None:
    double = program("(f := workspace / 'main.py').write_text(f.read_text() * 2)")
    for _ in range(3):
        run(double, workspace)
    assert (workspace / "main.py").read_text() == "x = 1\n" * 8


def test_it_names_its_choice(program: Program, workspace: Path) -> None:
    past = (PastAttempt(1, True, 1.0, None, "", ""), PastAttempt(2, True, 0.5, None, "", ""))
    assert chosen(workspace, past) == 2
    run(program("(workspace / '.ab').mkdir(); (workspace / '.ab' / 'choice').write_text('1')"), workspace)
    assert chosen(workspace, past) == 1


def test_it_measures_what_it_likes_within_its_budget(program: Program, workspace: Path) -> None:
    code = """
answers = [measure()]
(workspace / 'main.py').write_text('x = 7\\n')
answers.append(measure(str(workspace)))
(workspace / 'try').mkdir()
(workspace / 'try' / 'main.py').write_text('x = what\\n')
answers += [measure('try'), measure()]
(workspace / 'main.py').write_text(json.dumps(answers))
"""
    turn = run(program(code), workspace, None, value_of_x)
    answers = json.loads((workspace / "main.py").read_text())
    assert [code for code, _ in answers] == [0, 0, 0, 2]
    assert [(told["valid"], told["score"], told["feedback"]) for _, told in answers] == [
        (True, 1.0, "read x = 1"),
        (True, 7.0, "read x = 7"),
        (False, None, "main.py: not a number"),
        (False, None, "no measures are left"),
    ]
    assert all(set(told) == {"valid", "score", "feedback", "budget_left"} for _, told in answers)
    assert [told["budget_left"]["measures_left"] for _, told in answers] == [2, 1, 0, 0]
    assert [call.measured.score for call in turn.measures] == [1.0, 7.0, None]
    assert turn.measures[1].patch.endswith("-x = 1\n+x = 7\n") and turn.measures[0].patch == ""
    assert turn.measures[1].seconds <= turn.measures[2].seconds <= turn.seconds


def test_the_command_works_from_a_shell(workspace: Path, tmp_path: Path) -> None:
    script = tmp_path / "agent.sh"
    script.write_text(
        '#!/bin/sh\nset -e\necho "x = 5" > main.py\n$AB_MEASURE > .out\n$AB_MEASURE "$AB_WORKSPACE" >> .out\n'
    )
    script.chmod(0o755)
    turn = run(script, workspace, None, value_of_x)
    assert turn.outcome is AttemptOutcome.EVALUATE, turn.reason
    assert [call.measured.score for call in turn.measures] == [5.0, 5.0]
    assert len((workspace / ".out").read_text().splitlines()) == 2


def test_what_is_measured_holds_the_fixed_files_as_they_were(program: Program, workspace: Path) -> None:
    seen: list[dict[str, File]] = []

    def look(folder: Path) -> Measured:
        seen.append(dict(all_files(folder).files))
        return Measured(True, 1.0, "")

    run(
        program("(workspace / 'fixed.py').write_text('y = 9'); (workspace / 'more.py').write_text('z'); measure()"),
        workspace,
        None,
        look,
    )
    assert seen == [{"fixed.py": File(b"y = 1\n"), "main.py": File(b"x = 1\n")}]


def test_a_fault_of_the_measure_is_not_the_agents(program: Program, workspace: Path) -> None:
    def broken(_: Path) -> Measured:
        raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        run(program("measure()"), workspace, make_brief(budget=replace(BUDGET, seconds_left=2.0)), broken)


def test_a_score_that_is_no_number_is_none(program: Program, workspace: Path) -> None:
    turn = run(program("measure()"), workspace, None, lambda _: Measured(True, float("nan"), "odd"))
    assert turn.measures[0].measured == Measured(False, None, "the score is nan: odd")


HOSTILE = {
    "forks": ("while True: os.fork()", "more than 30 processes"),
    "threads": ("import threading\nwhile True: threading.Thread(target=time.sleep, args=(60,)).start()", ""),
    "memory": ("x = [b'x' * 10**7 for _ in range(500)]", "oom_host: "),
    "disk": (
        "f = open(workspace / 'big', 'wb')\nwhile True: f.write(bytes(10**6)); f.flush()",
        "holds more than 20 MiB",
    ),
    "time": ("time.sleep(60)", "did not end within"),
    "leaves a process": ("os.fork() or time.sleep(60)", ""),
    "floods stdout": ("while True: print('x' * 1000)", "did not end within"),
}


@pytest.mark.parametrize("what", HOSTILE)
def test_a_greedy_agent_is_stopped_and_takes_nothing_with_it(what: str, program: Program, workspace: Path) -> None:
    code, why = HOSTILE[what]
    before = with_notes(workspace)
    began = time.monotonic()
    turn = run(program(code), workspace, make_brief(budget=replace(BUDGET, seconds_left=3.0)))
    assert time.monotonic() - began < 20
    assert why in turn.reason
    assert turn.outcome is (AttemptOutcome.EVALUATE if what == "leaves a process" else AttemptOutcome.FAILED)
    assert with_notes(workspace)["main.py"] == before["main.py"]
    assert sum(len(file.content) for file in with_notes(workspace).values()) < 30 * 2**20


def test_it_reads_no_labels_and_writes_nothing_outside(
    program: Program, workspace: Path, open_directory: Path
) -> None:
    labels = open_directory / "labels.json"
    labels.write_text("the answers")
    labels.chmod(0o666)
    code = f"""
for path in ({str(labels)!r}, {str(workspace)!r}, {str(Path.cwd())!r}, '/etc/shadow', '/root'):
    for way in (pathlib.Path.read_text, os.listdir, lambda p: (p / 'x').write_text('x'), lambda p: p.write_text('x')):
        try:
            print('reached', path, way(pathlib.Path(path)))
        except OSError:
            pass
(workspace / 'main.py').unlink()
(workspace / 'main.py').symlink_to({str(labels)!r})
"""
    turn = run(program(code), workspace)
    assert "reached" not in turn.log
    assert turn.reason == "main.py is not taken: a link"
    assert labels.read_text() == "the answers"
    assert (workspace / "main.py").read_text() == "x = 1\n" and not (workspace / "main.py").is_symlink()


def test_it_reaches_no_network(program: Program, workspace: Path) -> None:
    code = "import socket\nfor kind in (socket.SOCK_STREAM, socket.SOCK_DGRAM):\n"
    code += "    try:\n        s = socket.socket(socket.AF_INET, kind); s.connect(('192.0.2.1', 53)); print('out')\n"
    code += "    except OSError as error: print('no', error)"
    assert "out" not in run(program(code), workspace).log


def test_a_flood_of_questions_costs_the_one_who_asks(program: Program, workspace: Path) -> None:
    pipe = "pathlib.Path(os.environ['AB_WORKSPACE']).parent / 'ask'"
    code = f"""
import threading
ask = {pipe}
fd = os.open(ask, os.O_WRONLY)
def flood():
    while True: os.write(fd, b'x' * 4000)
threading.Thread(target=flood, daemon=True).start()
for line in (b'null\\n', b'[' * 3000 + b'\\n', b'{{"id": 3, "dir": 4}}\\n', b'{{"id": "y", "dir": "../../.."}}\\n'):
    os.write(fd, line)
time.sleep(10)
"""
    began = time.process_time()
    turn = run(program(code), workspace, make_brief(budget=replace(BUDGET, seconds_left=4.0)), value_of_x)
    assert "did not end within" in turn.reason
    assert time.process_time() - began < 1.5
    assert all(not call.measured.valid for call in turn.measures)


def test_no_folder_outside_is_measured(program: Program, workspace: Path) -> None:
    code = """
(workspace / 'out').symlink_to('/etc', target_is_directory=True)
ask, answer = (os.open(workspace.parent / name, os.O_RDWR) for name in ('ask', 'answer'))
print([measure('/etc')[0], measure('out')[0], measure('a', 'b')[0]])
for inside in ('../..', '/etc', 'out'):
    os.write(ask, json.dumps({'id': 'q', 'dir': inside}).encode() + b'\\n')
    print(os.read(answer, 65536).decode())
"""
    turn = run(program(code), workspace, None, value_of_x)
    assert turn.log.splitlines()[0] == "[2, 2, 2]"
    assert len(turn.measures) == 3 and all(not call.measured.valid for call in turn.measures)
    assert "does not lie in the workspace" in turn.measures[0].measured.feedback
    assert turn.measures[2].measured.feedback == "'out' is not a folder of the workspace"


def test_pipes_that_are_exchanged_lead_nowhere(program: Program, workspace: Path, open_directory: Path) -> None:
    victim = open_directory / "victim"
    victim.write_text("untouched")
    victim.chmod(0o666)
    code = f"""
for name in ('ask', 'answer', 'lock', 'train.log'):
    (workspace.parent / name).unlink()
    (workspace.parent / name).symlink_to({str(victim)!r})
import shutil; shutil.rmtree(workspace); workspace.symlink_to({str(open_directory)!r})
"""
    turn = run(program(code), workspace, None, value_of_x)
    assert (turn.outcome, turn.log) == (AttemptOutcome.FAILED, "")
    assert "the workspace is gone" in turn.reason
    assert victim.read_text() == "untouched"
    assert (workspace / "main.py").read_text() == "x = 1\n"


def test_nothing_of_an_attempt_remains(
    program: Program, workspace: Path, open_directory: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(tempfile, "tempdir", str(open_directory))
    code = "measure()\nd = workspace\nfor i in range(60):\n    d = d / 'deep'\n    d.mkdir()\nd.chmod(0)"
    turn = run(program(code), workspace, None, value_of_x)
    assert turn.outcome in {AttemptOutcome.EVALUATE, AttemptOutcome.FAILED} and len(turn.measures) == 1
    assert list(open_directory.glob("ab-*")) == []


def test_modes_are_taken_too(program: Program, workspace: Path) -> None:
    run(program("(workspace / 'main.py').chmod(0o4777)"), workspace)
    assert stat.S_IMODE((workspace / "main.py").stat().st_mode) == 0o755


def test_a_folder_may_be_an_agent_and_a_program_without_the_right_to_run(workspace: Path, tmp_path: Path) -> None:
    folder = tmp_path / "with parts"
    folder.mkdir()
    (folder / "part.py").write_text("VALUE = 6\n")
    (folder / "agent").write_text(
        f"#!{sys.executable}\nimport part\nopen('main.py', 'w').write(f'x = {{part.VALUE}}\\n')\n"
    )
    (folder / "agent").chmod(0o755)
    assert run(folder, workspace).outcome is AttemptOutcome.EVALUATE
    assert (workspace / "main.py").read_text() == "x = 6\n"
    (tmp_path / "plain.py").write_text("open('main.py', 'w').write('x = 8\\n')\n")
    assert run(tmp_path / "plain.py", workspace).outcome is AttemptOutcome.EVALUATE
    assert (workspace / "main.py").read_text() == "x = 8\n"


@pytest.mark.parametrize(
    ("text", "why"),
    [("comand:x", "did you mean 'command'"), ("command:", "no program"), ("command:/nowhere", "no program '/nowhere'"),
     ("replay:/nowhere", "no folder"), ("", "no kind of agent"), ("command:README.md", "not executable")],
)  # fmt: skip
def test_what_is_no_agent_is_said(text: str, why: str) -> None:
    with pytest.raises(InputError, match="--agent") as refused:
        agent_from(text)
    assert why in str(refused.value)


def test_names_that_are_no_text_are_told_as_text(program: Program, workspace: Path, tmp_path: Path) -> None:
    code = "os.mkdir('lib'); open(b'lib/\\xff\\x1b[31m.py', 'w').write('x'); open('lib/a\\nb.py', 'w').write('x'); measure()"
    brief = make_brief(editable=("main.py", "lib"))
    turn = run(program(code), workspace, brief, value_of_x)
    assert (
        turn.outcome is AttemptOutcome.EVALUATE
        and turn.reason.count("a name with characters that no patch can hold") == 2
    )
    assert "\ufffd" in turn.reason
    record(tmp_path / "recorded", 1, turn, {}, all_files(workspace).files)
    assert json.loads((tmp_path / "recorded" / "1.json").read_text())["reason"] == turn.reason


def test_what_an_agent_made_is_its_own_to_change_and_what_is_given_is_not(workspace, program):
    code = """notes, once = workspace / "notes.txt", workspace / "once.txt"
before = notes.read_text() if notes.exists() else ""
notes.write_text(before + "done ")
once.unlink(missing_ok=True) if before else once.touch()
(workspace / "fixed.py").write_text("y = 2")
"""
    agent = CommandAgent.at(str(program(code)))
    brief = make_brief(given=frozenset({"main.py", "fixed.py"}))
    for done in (1, 2, 3):
        assert agent.attempt(workspace, brief, None).outcome is AttemptOutcome.EVALUATE
        assert (workspace / "notes.txt").read_text() == "done " * done
        assert (workspace / "once.txt").exists() == (done == 1)
    assert (workspace / "fixed.py").read_text() == "y = 1\n"
