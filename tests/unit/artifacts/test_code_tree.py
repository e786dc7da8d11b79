"""A trial runs what its fingerprint covers, and nothing else."""

import os
import sys

import pytest

from auto_benchmark.artifacts.code_tree import CodeChangedError, code_tree, copies
from auto_benchmark.artifacts.fingerprint import folder_sha256


@pytest.fixture
def solution(tmp_path):
    folder = tmp_path / "mine"
    (folder / "part").mkdir(parents=True)
    (folder / "train.py").write_text("1")
    (folder / "part" / "run.sh").write_text("#!/bin/sh\n")
    (folder / "part" / "run.sh").chmod(0o755)
    (folder / "__pycache__").mkdir()
    (folder / "__pycache__" / "train.pyc").write_bytes(b"other code")
    return folder


def names(folder):
    return sorted(str(path.relative_to(folder)) for path in folder.rglob("*") if path.is_file())


def test_the_copy_has_the_code_alone_and_is_made_once(solution, tmp_path):
    sha256 = folder_sha256(solution)
    copy = code_tree(solution, sha256, tmp_path / "home")
    assert names(copy) == ["part/run.sh", "train.py"] and folder_sha256(copy) == sha256 and copy.name == "mine"
    assert (copy / "part" / "run.sh").stat().st_mode & 0o111
    made = copy.stat().st_ino
    assert code_tree(solution, sha256, tmp_path / "home") == copy and copy.stat().st_ino == made


@pytest.mark.parametrize("change", ["train.py", "new.py", "__pycache__/train.pyc", ".git/hook"])
def test_a_copy_that_somebody_has_changed_is_made_anew(solution, tmp_path, change):
    sha256 = folder_sha256(solution)
    copy = code_tree(solution, sha256, tmp_path / "home")
    (copy / change).parent.mkdir(exist_ok=True)
    (copy / change).write_text("other code")
    assert names(code_tree(solution, sha256, tmp_path / "home")) == ["part/run.sh", "train.py"]
    assert (copy / "train.py").read_text() == "1"


def test_an_edit_meanwhile_concerns_the_next_trial(solution, tmp_path):
    sha256 = folder_sha256(solution)
    copy = code_tree(solution, sha256, tmp_path / "home")
    (solution / "train.py").write_text("2")
    assert code_tree(solution, sha256, tmp_path / "home") == copy and (copy / "train.py").read_text() == "1"
    with pytest.raises(CodeChangedError, match="changed while"):
        code_tree(solution, sha256, tmp_path / "another home")


def test_code_behind_a_link_is_code(solution, tmp_path):
    before = folder_sha256(solution)
    library = tmp_path / "library"
    library.mkdir()
    (library / "tool.py").write_text("1")
    (solution / "linked").symlink_to(library)
    (solution / "loop").symlink_to(solution)
    linked = folder_sha256(solution)
    copy = code_tree(solution, linked, tmp_path / "home")
    assert names(copy) == ["linked/tool.py", "part/run.sh", "train.py"]
    (library / "tool.py").write_text("2")
    assert len({before, linked, folder_sha256(solution)}) == 3


def test_a_folder_below_one_that_is_skipped_has_code(tmp_path):
    folder = tmp_path / ".git" / "solution"
    folder.mkdir(parents=True)
    (folder / "train.py").write_text("1")
    before = folder_sha256(folder)
    (folder / "train.py").write_text(f"# {sys.version}")
    assert folder_sha256(folder) != before


def test_a_copy_that_is_used_again_is_as_young_as_its_last_use(solution, tmp_path):
    sha256 = folder_sha256(solution)
    copy = code_tree(solution, sha256, tmp_path / "home")
    os.utime(copy.parent, (1, 1))
    assert [place.stat().st_mtime for place in copies(tmp_path / "home")] == [1]
    code_tree(solution, sha256, tmp_path / "home")
    assert [place.stat().st_mtime > 1 for place in copies(tmp_path / "home")] == [True]
