"""Trees that a trial made to be in the way: looked through and removed, and nothing else with them."""

import os
import subprocess
import sys

import pytest

from auto_benchmark import trees


def nested(folder, depth):
    """Folders in each other, deeper than a path may be long."""
    held = os.open(folder, os.O_RDONLY)
    for _ in range(depth):
        os.mkdir("d", dir_fd=held)
        inner = os.open("d", os.O_RDONLY, dir_fd=held)
        os.close(held)
        held = inner
    os.close(os.open("file", os.O_CREAT, dir_fd=held))
    os.close(held)


@pytest.fixture
def tree(tmp_path):
    folder = tmp_path / "tree"
    folder.mkdir()
    yield folder
    trees.remove(folder)


def test_what_is_small_and_shallow_is_no_excess(tree):
    nested(tree, 3)
    assert trees.excess(tree, most=10, deepest=3) is None
    assert trees.excess(tree, most=10, deepest=2) == "more than 2 folders lie in each other"
    assert trees.excess(tree, most=3, deepest=3) == "more than 3 files and folders"
    assert (
        trees.excess(tree / "absent", most=3, deepest=3) == "a folder that cannot be read (No such file or directory)"
    )


def test_the_depth_of_a_tree_ends_nobody(tree):
    nested(tree, 1200)
    assert "lie in each other" in trees.excess(tree, most=10**6, deepest=100)
    assert trees.size_mb(tree, most=10**6) < 100
    assert trees.remove(tree) and not tree.exists()


def test_size_is_what_files_occupy_and_links_are_not_followed(tree, tmp_path):
    (tmp_path / "large").write_bytes(b"x" * 2**21)
    (tree / "link").symlink_to(tmp_path / "large")
    (tree / "file").write_bytes(os.urandom(2**20))
    assert 1 <= trees.size_mb(tree, most=10) < 1.1
    assert trees.size_mb(tree, most=1) == float("inf")


def test_links_are_removed_and_what_they_lead_to_stays(tree, tmp_path):
    kept = tmp_path / "kept"
    kept.mkdir(mode=0o750)
    (kept / "file").write_text("x")
    (tree / "to a folder").symlink_to(kept)
    (tree / "inner").mkdir()
    (tree / "inner" / "to a folder").symlink_to(kept)
    assert trees.remove(tree)
    assert (kept / "file").read_text() == "x" and kept.stat().st_mode & 0o777 == 0o750
    link = tmp_path / "link"
    link.symlink_to(kept)
    assert trees.remove(link) and (kept / "file").exists()


def test_files_pipes_and_what_is_not_there_are_removed_too(tmp_path):
    (tmp_path / "file").write_text("x")
    os.mkfifo(tmp_path / "pipe")
    assert trees.remove(tmp_path / "file") and trees.remove(tmp_path / "pipe") and trees.remove(tmp_path / "absent")
    assert list(tmp_path.iterdir()) == []


CLOSED = """
import os, sys
from pathlib import Path
from auto_benchmark import trees
root = Path(sys.argv[1])
if os.geteuid() == 0:
    os.setgroups([]); os.setgid(65534); os.setuid(65534)
tree = root / "tree"
(tree / "a" / "b" / "c").mkdir(parents=True)
(tree / "a" / "b" / "file").write_text("x")
for folder, mode in ("a/b/c", 0), ("a/b", 0o111), ("a", 0o444), (".", int(sys.argv[2], 8)):
    (tree / folder).chmod(mode)
print(trees.excess(tree, most=10, deepest=10), trees.remove(tree), tree.exists())
"""


@pytest.mark.parametrize("mode", ["0", "555", "700"])
def test_a_folder_that_its_owner_has_closed_is_opened_and_removed(open_directory, mode):
    root = open_directory / f"closed-{mode}"
    root.mkdir()
    root.chmod(0o777)
    done = subprocess.run(
        [sys.executable, "-c", CLOSED, str(root), mode], capture_output=True, text=True, timeout=30, check=False,
        env={**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)},
    )  # fmt: skip
    assert done.stdout == "a folder that cannot be read (Permission denied) True False\n", done.stderr


def test_what_cannot_be_removed_is_moved_aside(tmp_path, monkeypatch):
    (tmp_path / "output").mkdir()
    (tmp_path / "output" / "file").write_text("x")
    monkeypatch.setattr(trees, "remove", lambda folder: False)
    trees.make_way(tmp_path / "output")
    (aside,) = tmp_path.iterdir()
    assert aside.name.startswith(".output-") and (aside / "file").exists()
