"""The patch between two trees, put on by git itself, and what a person is shown of one."""

from __future__ import annotations

import subprocess
import time
from pathlib import Path

import pytest

from auto_benchmark.artifacts.tree_diff import LONGEST_LINE, MOST_LINES, patch, shown
from auto_benchmark.artifacts.tree_store import changed_files, copy_plain


@pytest.fixture
def trees(tmp_path: Path) -> tuple[Path, Path]:
    before, after = tmp_path / "before", tmp_path / "after"
    for folder in (before, after):
        (folder / "below").mkdir(parents=True)
        (folder / "same.py").write_text("x = 1\n")
    return before, after


def test_git_makes_one_tree_of_the_other(trees: tuple[Path, Path], tmp_path: Path) -> None:
    before, after = trees
    (before / "removed.py").write_text("gone\n")
    (after / "below" / "a name.py").write_text("new\nno newline behind this")
    (before / "train.py").write_text("".join(f"{i}\n" for i in range(50)))
    (after / "train.py").write_text("".join(f"{i if i not in {3, 40} else 'x'}\n" for i in range(50)))
    (after / "run.sh").write_text("true\r\n")
    (after / "run.sh").chmod(0o755)
    (tmp_path / "change.patch").write_bytes(patch(before, after).encode())

    target = tmp_path / "target"
    target.mkdir()
    copy_plain(before, target)
    subprocess.run(["git", "apply", "--whitespace=nowarn", tmp_path / "change.patch"], cwd=target, check=True)

    assert changed_files(target, after) == []
    assert (target / "run.sh").stat().st_mode & 0o100


def test_a_file_that_is_no_text_is_named_alone(trees: tuple[Path, Path]) -> None:
    before, after = trees
    (before / "weights").write_bytes(b"\0\1")
    (after / "weights").write_bytes(b"\0\2")

    assert patch(before, after).splitlines() == [
        "diff --git a/weights b/weights",
        "# weights is not text: its content is in the stored tree",
    ]


def test_files_of_many_lines_that_all_differ_are_not_compared_line_by_line(trees: tuple[Path, Path]) -> None:
    before, after = trees
    (before / "table").write_text("".join(f"{i % 7}\n" for i in range(40_000)))
    (after / "table").write_text("".join(f"{i % 11} \n" for i in range(40_000)))
    began = time.process_time()

    lines = patch(before, after).splitlines()

    assert time.process_time() - began < 10
    assert lines[3] == "@@ -1,40000 +1,40000 @@"
    assert len(lines) == 4 + 80_000


def test_what_is_shown_is_bounded_and_hides_nothing() -> None:
    told = shown("\n".join(["+safe\u202eevil\x1b", "+" + "x" * 999, *["+y"] * 500])).split("\n")

    assert told[0] == "+safe\\u202eevil\\u001b"
    assert told[1] == "+" + "x" * (LONGEST_LINE - 1) + f" … and {1000 - LONGEST_LINE} more characters"
    assert told[MOST_LINES:] == [f"and {502 - MOST_LINES} more lines"]
