"""Recorded attempts are made again, within the same rules as any other agent's."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.unit.agents.conftest import make_brief

from auto_benchmark.agents.agent import AttemptOutcome, Turn
from auto_benchmark.agents.brief import PastAttempt
from auto_benchmark.agents.chosen import chosen
from auto_benchmark.agents.recording import record, record_choice
from auto_benchmark.agents.replay import ReplayAgent
from auto_benchmark.agents.workspace import File, all_files
from auto_benchmark.errors import InputError

PATCH = "--- a/main.py\n+++ b/main.py\n@@ -1 +1 @@\n-x = 1\n+x = 2\n"


def recording(tmp_path: Path, **files: str) -> ReplayAgent:
    folder = tmp_path / "recorded"
    folder.mkdir()
    for name, text in files.items():
        (folder / name.strip("_").replace("_", ".")).write_text(text)
    return ReplayAgent.at(str(folder))


def test_a_patch_of_a_person_is_enough(workspace: Path, tmp_path: Path) -> None:
    agent = recording(tmp_path, _1_patch=PATCH)
    assert agent.attempt(workspace, make_brief(), None) == Turn(AttemptOutcome.EVALUATE)
    assert (workspace / "main.py").read_text() == "x = 2\n"
    after = make_brief(history=(PastAttempt(1, True, 1.0, None, "", ""),))
    assert agent.attempt(workspace, after, None).outcome is AttemptOutcome.DONE


def test_the_folder_of_a_laboratory_run_is_its_recording(workspace: Path, tmp_path: Path) -> None:
    (tmp_path / "run" / "trajectory").mkdir(parents=True)
    (tmp_path / "run" / "trajectory" / "1.patch").write_text(PATCH)
    assert ReplayAgent.at(str(tmp_path / "run")).attempt(workspace, make_brief(), None) == Turn(
        AttemptOutcome.EVALUATE
    )
    assert (workspace / "main.py").read_text() == "x = 2\n"


def test_only_editable_files_are_taken(workspace: Path, tmp_path: Path) -> None:
    agent = recording(tmp_path, _1_patch=PATCH + PATCH.replace("main", "fixed").replace("x =", "y ="))
    turn = agent.attempt(workspace, make_brief(), None)
    assert (turn.outcome, turn.reason) == (AttemptOutcome.EVALUATE, "fixed.py is not taken: it is not editable")
    assert all_files(workspace).files == {"main.py": File(b"x = 2\n"), "fixed.py": File(b"y = 1\n")}


def test_a_patch_that_does_not_fit_is_a_failed_attempt(workspace: Path, tmp_path: Path) -> None:
    agent = recording(tmp_path, _1_patch=PATCH.replace("x = 1", "x = 9"))
    turn = agent.attempt(workspace, make_brief(), None)
    assert turn.outcome is AttemptOutcome.FAILED
    assert turn.reason == "1.patch: line 3: the lines that this hunk changes do not stand in main.py"
    assert (workspace / "main.py").read_text() == "x = 1\n"


def test_files_that_are_no_text_are_recorded_whole(workspace: Path, tmp_path: Path) -> None:
    before, after = {"main.py": File(b"x = 1\n")}, {"main.py": File(b"\x00\xff", executable=True), "new": File(b"")}
    record(tmp_path / "recorded", 1, Turn(AttemptOutcome.EVALUATE), before, after)
    record_choice(tmp_path / "recorded", "1")
    agent = ReplayAgent.at(str(tmp_path / "recorded"))
    brief = make_brief(editable=("main.py", "new"))
    assert agent.attempt(workspace, brief, None).outcome is AttemptOutcome.EVALUATE
    assert all_files(workspace).files == {**after, "fixed.py": File(b"y = 1\n")}
    assert chosen(workspace, [PastAttempt(n, True, 0.0, None, "", "") for n in (1, 2)]) == 1


def test_an_empty_recording_is_none(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="holds no attempt"):
        recording(tmp_path, notes="nothing")
    with pytest.raises(InputError, match="no folder"):
        ReplayAgent.at(str(tmp_path / "nowhere"))


def test_a_recorded_failure_fails_again_with_its_reason(workspace: Path, tmp_path: Path) -> None:
    files = {"main.py": File(b"x = 1\n")}
    record(tmp_path / "recorded", 1, Turn(AttemptOutcome.FAILED, "exit 7: no idea"), files, files)
    turn = ReplayAgent.at(str(tmp_path / "recorded")).attempt(workspace, make_brief(), None)
    assert turn == Turn(AttemptOutcome.FAILED, "as recorded: exit 7: no idea")
