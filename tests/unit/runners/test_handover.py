"""Directories change hands, and nothing foreign changes with them."""

import os
import stat

import pytest

from auto_benchmark.runners import handover, trial_user
from auto_benchmark.runners.confinement.privileges import FIRST_USER, LAST_USER
from auto_benchmark.runners.runner import EnvironmentFaultError
from auto_benchmark.runners.train_log import open_log
from auto_benchmark.runners.watch import DEEPEST, measure

needs_root = pytest.mark.skipif(os.geteuid() != 0, reason="needs root, to hand files over")
USER = FIRST_USER


@needs_root
def test_what_a_trial_left_is_taken_back_and_what_was_not_its_own_is_left_alone(tmp_path):
    out, foreign = tmp_path / "out", tmp_path / "foreign"
    out.mkdir()
    handover.give(out, USER)
    assert (out.stat().st_uid, stat.S_IMODE(out.stat().st_mode)) == (USER, 0o700)
    foreign.write_text("x")
    os.chown(foreign, 1, 1)
    (out / "own").write_text("x")
    (out / "own").chmod(0o4777)
    (out / "shut").mkdir()
    (out / "shut" / "inner").write_text("x")
    (out / "link").symlink_to(foreign)
    os.link(foreign, out / "second name")
    for path in (out / "own", out / "shut" / "inner", out / "shut"):
        os.chown(path, USER, USER)
    (out / "own").chmod(0o4777)
    (out / "shut").chmod(0)
    handover.take_back(out, USER)
    assert {path.lstat().st_uid for path in (out, out / "own", out / "shut", out / "shut" / "inner")} == {
        os.geteuid()
    }
    assert foreign.stat().st_uid == 1
    assert not (out / "own").stat().st_mode & stat.S_ISUID
    assert stat.S_IMODE((out / "shut").stat().st_mode) == 0o700


def test_folders_that_nobody_may_enter_are_opened_to_their_owner(tmp_path):
    (tmp_path / "shut" / "inner").mkdir(parents=True)
    (tmp_path / "shut" / "inner" / "file").write_text("x")
    (tmp_path / "shut" / "inner").chmod(0)
    (tmp_path / "shut").chmod(0)
    handover.take_back(tmp_path, None)
    assert (tmp_path / "shut" / "inner" / "file").read_text() == "x"


def deep(folder, levels):
    place = os.open(folder, os.O_RDONLY)
    for _ in range(levels):
        os.mkdir("d", dir_fd=place)
        inner = os.open("d", os.O_RDONLY, dir_fd=place)
        os.close(place)
        place = inner
    os.close(place)


def test_a_tree_deeper_than_pythons_stack_is_removed(tmp_path):
    (tmp_path / "tree").mkdir()
    deep(tmp_path / "tree", 3000)
    handover.take_back(tmp_path / "tree", None)
    handover.remove(tmp_path / "tree")
    assert not (tmp_path / "tree").exists()


def test_depth_and_size_of_an_output_are_bounded_in_time_too(tmp_path):
    (tmp_path / "file").write_bytes(bytes(2**20))
    (tmp_path / "link").symlink_to("/")
    size, depth, files = measure(tmp_path)
    assert 1.0 <= size < 1.1 and (depth, files) == (0, 2)
    (tmp_path / "tree").mkdir()
    deep(tmp_path / "tree", 3000)
    deepest = measure(tmp_path)[1]
    handover.remove(tmp_path / "tree")  # pytest could not
    assert deepest == DEEPEST + 1


def test_the_number_of_files_of_an_output_is_bounded(tmp_path, monkeypatch):
    """An empty file takes no block, and still a place in the file system."""
    monkeypatch.setattr("auto_benchmark.runners.watch.MOST_FILES", 20)
    for name in range(15):
        (tmp_path / f"folder-{name}").mkdir()
        (tmp_path / f"folder-{name}" / "empty").touch()
    assert measure(tmp_path)[2] == 21


def test_only_a_regular_file_is_a_log(tmp_path):
    os.mkfifo(tmp_path / "pipe")
    (tmp_path / "folder").mkdir()
    (tmp_path / "file").write_text("x")
    (tmp_path / "link").symlink_to("file")
    opened = {name: open_log(tmp_path / name) for name in ("pipe", "folder", "link", "absent", "file")}
    assert [name for name, log in opened.items() if log] == ["file"]
    opened["file"].close()


def test_no_two_trials_have_one_user(tmp_path, monkeypatch):
    monkeypatch.setattr(trial_user, "FIRST_USER", LAST_USER - 1)
    claims = tmp_path / "claims"
    with trial_user.own_user(claims) as first, trial_user.own_user(claims) as second:
        assert {first, second} == {LAST_USER - 1, LAST_USER}
        with pytest.raises(EnvironmentFaultError, match="no free user number"), trial_user.own_user(claims):
            pass
    with trial_user.own_user(claims) as again:
        assert again in {first, second}


@needs_root
def test_claims_in_somebody_elses_folder_count_for_nothing(tmp_path):
    os.chown(tmp_path, 1, 1)
    with pytest.raises(EnvironmentFaultError, match="belongs to another user"), trial_user.own_user(tmp_path):
        pass
