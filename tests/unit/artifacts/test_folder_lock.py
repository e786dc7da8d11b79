"""One process works in a folder, and a dead one holds nothing."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from auto_benchmark.artifacts.folder_lock import at_rest, locked
from auto_benchmark.errors import InputError, RefusedError

HOLD = """
import sys, time
from pathlib import Path
from auto_benchmark.artifacts.folder_lock import locked
with locked(Path(sys.argv[1]), taken="taken"):
    print("held", flush=True)
    time.sleep(60)
"""


def test_a_second_one_is_refused_until_the_first_is_done(tmp_path: Path) -> None:
    folder = tmp_path / "new" / "folder"
    with locked(folder, taken="somebody works here"):
        with pytest.raises(RefusedError, match="somebody works here"), locked(folder, taken="somebody works here"):
            pass
        with locked(folder, ".other", taken="never"):
            assert sorted(file.name for file in folder.iterdir()) == [".lock", ".other"]
    with locked(folder, taken="never"):
        assert (folder / ".lock").exists()


def test_several_read_what_rests_and_none_what_is_worked_in(tmp_path: Path) -> None:
    with at_rest(tmp_path, taken="never"):
        assert not (tmp_path / ".lock").exists()  # a copy, or a folder that is not writable
    with (
        locked(tmp_path, taken="never"),
        pytest.raises(RefusedError, match="busy"),
        at_rest(tmp_path, taken="busy"),
    ):
        pass
    with (
        at_rest(tmp_path, taken="never"),
        at_rest(tmp_path, taken="never"),
        pytest.raises(RefusedError, match="read"),
        locked(tmp_path, taken="read"),
    ):
        pass
    (tmp_path / ".lock").unlink()
    os.mkfifo(tmp_path / ".lock")
    with at_rest(tmp_path, taken="never"):
        assert (tmp_path / ".lock").is_fifo()  # and nobody waited for its writer


def test_a_killed_process_holds_nothing(tmp_path: Path) -> None:
    child = subprocess.Popen(
        [sys.executable, "-c", HOLD, tmp_path], stdout=subprocess.PIPE, text=True, env={**os.environ}
    )
    try:
        assert child.stdout is not None and child.stdout.readline() == "held\n"
        with pytest.raises(RefusedError, match="held"), locked(tmp_path, taken="held"):
            pass
    finally:
        child.send_signal(signal.SIGKILL)
        child.wait()
    with locked(tmp_path, taken="never"):
        assert (tmp_path / ".lock").exists()


def test_a_folder_that_cannot_be_written_is_said_so(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(InputError, match="cannot be written"), locked(tmp_path / "file", taken="never"):
        pass
    (tmp_path / ".lock").symlink_to(tmp_path / "elsewhere")
    with pytest.raises(InputError, match="cannot be written"), locked(tmp_path, taken="never"):
        pass
    assert not (tmp_path / "elsewhere").exists()
