"""Scratch folders end with their process."""

import os
import signal
import subprocess
import sys
import tempfile

import pytest

from auto_benchmark.scratch import clear, scratch_folder

HOLDS = """
import os, signal, sys
from auto_benchmark.scratch import scratch_folder
with scratch_folder("held") as folder:
    (folder / "deep" / "er").mkdir(parents=True)
    print(folder.name, flush=True)
    if sys.argv[1] == "dies":
        os.kill(os.getpid(), signal.SIGKILL)
    sys.stdin.read()
"""


@pytest.fixture
def holder(tmp_path, monkeypatch):
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    environment = {**os.environ, "TMPDIR": str(tmp_path)}
    started = []

    def start(how: str) -> tuple[subprocess.Popen, str]:
        process = subprocess.Popen(
            [sys.executable, "-c", HOLDS, how],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
            env=environment,
        )
        started.append(process)
        return process, process.stdout.readline().strip()

    yield start
    for process in started:
        process.communicate()


def test_what_a_killed_process_left_is_cleared_and_what_a_living_one_holds_is_not(holder, tmp_path):
    _, alive = holder("waits")
    dead_process, dead = holder("dies")
    assert dead_process.wait() == -signal.SIGKILL
    assert (tmp_path / dead / "deep" / "er").is_dir()
    assert clear("held", settled_s=0) == [dead]
    assert [folder.name for folder in tmp_path.iterdir()] == [alive]


def test_a_folder_that_was_just_made_is_left_alone_even_without_its_lock(tmp_path, monkeypatch):
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    (tmp_path / "ab-held-newly_01").mkdir()
    assert clear("held") == []
    assert clear("held", settled_s=0) == ["ab-held-newly_01"]


def test_a_link_in_a_folders_place_is_never_followed(tmp_path, monkeypatch):
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    (tmp_path / "dear").mkdir()
    (tmp_path / "ab-held-link0123").symlink_to(tmp_path / "dear")
    assert clear("held", settled_s=0) == []
    assert (tmp_path / "dear").is_dir()


def test_a_folder_is_gone_in_the_end(tmp_path, monkeypatch):
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    with scratch_folder("held") as folder:
        (folder / "file").write_text("x")
        assert folder.parent == tmp_path
    assert list(tmp_path.iterdir()) == []


def test_a_folder_within_a_place_is_made_and_cleared_there(tmp_path):
    (tmp_path / ".ab-held-dead0123").mkdir()
    assert clear("held", tmp_path, settled_s=0) == [".ab-held-dead0123"]
    with scratch_folder("held", tmp_path) as folder:
        assert folder.parent == tmp_path and clear("held", tmp_path, settled_s=0) == []
    assert list(tmp_path.iterdir()) == []


def test_a_folder_of_a_kind_whose_name_begins_alike_is_left_alone(tmp_path, monkeypatch):
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    with tempfile.TemporaryDirectory(prefix="ab-held-by-others-") as other:
        assert clear("held", settled_s=0) == clear("held-by", settled_s=0) == []
        assert os.path.isdir(other)  # noqa: PTH112
