"""Locks on files are counted to the processes that hold them."""

import fcntl
import os
import sys

import pytest

from auto_benchmark.runners import file_locks


@pytest.mark.skipif(sys.platform != "linux", reason="needs /proc/locks")
def test_locks_of_a_process_are_counted(tmp_path):
    before = file_locks.held_by({os.getpid()})
    with (tmp_path / "file").open("w") as file:
        for at in range(50):
            fcntl.lockf(file, fcntl.LOCK_EX, 1, 2 * at)
        assert file_locks.held_by({os.getpid()}) == before + 50
        assert file_locks.held_by({1 << 30}) == 0


def test_odd_lines_and_a_missing_table_count_nothing(tmp_path):
    table = tmp_path / "locks"
    assert file_locks.held_by({7}, table) == 0
    table.write_bytes(
        b"\n1:\n1: POSIX\n1: POSIX ADVISORY WRITE 7 08:01:1 0 0\n1: -> POSIX ADVISORY WRITE 7 08:01:1 0 0\n"
    )
    assert file_locks.held_by({7}, table) == 2


def test_no_more_than_the_most_are_counted(tmp_path, monkeypatch):
    monkeypatch.setattr(file_locks, "MOST", 3)
    table = tmp_path / "locks"
    table.write_bytes(b"1: POSIX ADVISORY WRITE 7 08:01:1 0 0\n" * 10)
    assert file_locks.held_by({7}, table) == 4
