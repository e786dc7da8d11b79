"""What may be a stored tree, and what is refused in words."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from auto_benchmark.artifacts.code_tree import copies
from auto_benchmark.artifacts.tree_store import (
    UnfitTreeError,
    changed_files,
    copy_plain,
    draft,
    find,
    keep,
    plain_files,
)


def test_regular_files_are_copied_with_their_mode_and_caches_are_not(tmp_path: Path) -> None:
    source, target = tmp_path / "source", tmp_path / "target"
    (source / "below" / "__pycache__").mkdir(parents=True)
    (source / "below" / "__pycache__" / "a.pyc").write_text("")
    (source / "below" / "run.sh").write_text("true\n")
    (source / "below" / "run.sh").chmod(0o700)
    (source / "a.py").write_text("x = 1\n")
    copy_plain(source, target)
    assert [str(name) for name, _ in plain_files(target)] == ["a.py", "below/run.sh"]
    assert (target / "below" / "run.sh").stat().st_mode & 0o777 == 0o755
    assert changed_files(source, target) == []
    (target / "a.py").write_text("x = 2\n")
    (target / "below" / "run.sh").unlink()
    (target / "new.py").write_text("")
    assert changed_files(source, target) == ["a.py", "below/run.sh", "new.py"]


@pytest.mark.parametrize("kind", ["link", "pipe", "name"])
def test_what_is_no_regular_file_is_refused(tmp_path: Path, kind: str) -> None:
    match kind:
        case "link":
            (tmp_path / "odd").symlink_to("/etc/passwd")
        case "pipe":
            os.mkfifo(tmp_path / "odd")
        case _:
            (tmp_path / "odd\u202e").write_text("")
    with pytest.raises(UnfitTreeError, match="odd"):
        list(plain_files(tmp_path))


def test_a_folder_that_cannot_be_read_is_said_so(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(UnfitTreeError, match="cannot be read: No such file or directory"):
        list(plain_files(tmp_path / "absent"))

    def vanished(_: os.PathLike[str]) -> None:
        raise PermissionError(13, "Permission denied")

    monkeypatch.setattr("auto_benchmark.artifacts.tree_store.os.scandir", vanished)
    with pytest.raises(UnfitTreeError, match=r"\. cannot be read: Permission denied"):
        copy_plain(tmp_path, tmp_path / "copy")


def test_a_draft_is_kept_or_leaves_nothing_and_a_killed_one_lies_among_the_copies(tmp_path: Path) -> None:
    with draft("solver", tmp_path) as folder:
        folder.mkdir()
        (folder / "train.py").write_text("x = 1\n")
        assert folder.parent in set(copies(tmp_path)), "retention would find it"
        tree = keep(folder, tmp_path)
    assert [copy.name for copy in copies(tmp_path)] == [tree]
    assert (find(tree, "solver", tmp_path) / "train.py").read_text() == "x = 1\n"
