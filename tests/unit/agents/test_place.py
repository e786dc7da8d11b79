"""What a container's program leaves beside its work is never followed out of its folder."""

import os

import pytest

from auto_benchmark.agents.place import LOG, write_log


@pytest.mark.parametrize("left", ["a link to a file", "a link to nothing", "a pipe", "a folder", "a second name"])
def test_a_log_is_written_in_place_of_whatever_has_its_name(tmp_path, left):
    elsewhere, own = tmp_path / "authorized_keys", tmp_path / "own"
    elsewhere.write_text("ours")
    own.mkdir()
    log = own / LOG
    if left == "a pipe":
        os.mkfifo(log)
    elif left == "a folder":
        (log / "deep").mkdir(parents=True)
    elif left == "a second name":
        log.hardlink_to(elsewhere)
    else:
        log.symlink_to(elsewhere if left == "a link to a file" else tmp_path / "new")
    write_log(own, "what it printed")
    assert elsewhere.read_text() == "ours"
    assert not (tmp_path / "new").exists()
    assert not log.is_symlink()
    assert log.read_text() == "what it printed"
