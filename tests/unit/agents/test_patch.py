"""A patch says what has changed, git takes it, and applying it gives the same files; others are refused with a place."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.growth import assert_grows_linearly

from auto_benchmark.agents.patch import PatchError, applied, unified
from auto_benchmark.agents.workspace import File, Files, all_files, write_files


def text(content: str, *, executable: bool = False) -> File:
    return File(content.encode(), executable)


LINES = st.lists(st.sampled_from(["a", "b", "", "- x", "@@ -1 +1 @@", "\\ no", "c\r"]), max_size=30)
CONTENTS = st.builds(lambda lines, end: text("\n".join(lines) + end), LINES, st.sampled_from(["", "\n"]))
TREES = st.dictionaries(st.sampled_from(["a.py", "b c.txt", "d/e.py", "ä.md"]), CONTENTS, max_size=4)


@given(TREES, TREES)
def test_a_patch_applied_gives_the_files_that_it_was_made_from(before: Files, after: Files) -> None:
    patch = unified(before, after)
    assert (applied(before, patch) if patch else dict(before)) == dict(after)
    assert bool(patch) == (before != after)


def test_git_takes_it_too(tmp_path: Path) -> None:
    before = {
        "a.py": text("1\n2\n3\n4\n5\n6\n7\n8\n9"),
        "gone.py": text("x\n"),
        "run": text("#!/bin/sh\n"),
        "b c": text(""),
    }
    after = {"a.py": text("1\n2\nthree\n4\n5\n6\n7\n8\n9\n10"), "new/n.py": text("y"), "b c": text("z\n"), "empty": text(""),
             "run": text("#!/bin/sh\n", executable=True)}  # fmt: skip
    write_files(tmp_path, before)
    subprocess.run(["git", "init", "-q"], cwd=tmp_path, check=True)
    subprocess.run(["git", "apply", "-"], cwd=tmp_path, input=unified(before, after).encode(), check=True)
    assert all_files(tmp_path).files == after


def test_what_git_writes_is_taken(tmp_path: Path) -> None:
    before = {"a.py": text("1\n2\n3\n"), "b.py": text("x\n" * 30)}
    after = {"a.py": text("1\n2\nthree"), "b.py": text("x\n" * 14 + "y\n" + "x\n" * 16)}
    write_files(tmp_path, before)
    for command in (["init", "-q"], ["add", "-A"]):
        subprocess.run(["git", *command], cwd=tmp_path, check=True)
    write_files(tmp_path / "new", after)
    for name, file in after.items():
        (tmp_path / name).write_bytes(file.content)
    patch = subprocess.run(["git", "diff"], cwd=tmp_path, check=True, capture_output=True).stdout.decode()
    assert applied(before, patch) == after


def test_a_moved_hunk_lands_at_the_only_place_with_its_lines() -> None:
    patch = unified({"a": text("x\ny\nz\n")}, {"a": text("x\nY\nz\n")})
    assert applied({"a": text("0\n0\nx\ny\nz\n")}, patch) == {"a": text("0\n0\nx\nY\nz\n")}


GOOD = "--- a/a.py\n+++ b/a.py\n@@ -1,1 +1,1 @@\n-x\n+y\n"


@pytest.mark.parametrize(
    ("patch", "why"),
    [
        ("", "line 1: no unified diff"),
        ("just words\n", "line 1: no unified diff"),
        (GOOD.replace("a.py", "../a.py"), "line 1: '../a.py' is not a path inside"),
        (GOOD.replace("a/a.py", "/etc/passwd").replace("b/a.py", "/etc/passwd"), "not a path inside"),
        (GOOD.replace("-x", "-q"), "line 3: the lines that this hunk changes do not stand in a.py"),
        (GOOD.replace("a.py", "c.py"), "line 1: c.py is not there"),
        (GOOD.replace("-1,1", "-1,2"), "line 3: the hunk has other numbers of lines"),
        (GOOD + "-x\n", "line 6: no line of a patch"),
        (GOOD.replace("@@ -1,1 +1,1 @@", "@@ what @@"), "line 3: no head of a hunk"),
        ("diff --git a/l b/l\nnew file mode 120000\n", "line 2: l: only regular"),
        ("diff --git a/a.py b/b.py\nrename from a.py\nrename to b.py\n", "no unified diff"),
        ("diff --git a/a.py b/a.py\nBinary files a/a.py and b/a.py differ\n", "line 2: a.py: binary"),
        ("--- /dev/null\n+++ b/a.py\n@@ -0,0 +1,1 @@\n+y\n", "line 1: a.py exists already"),
        ("--- a/two\n+++ b/two\n@@ -9,1 +9,1 @@\n-x\n+y\n", "line 3: the lines that this hunk changes do not stand in two"),
    ],
)  # fmt: skip
def test_other_patches_are_refused_with_the_line(patch: str, why: str) -> None:
    with pytest.raises(PatchError, match=r"^line \d+: ") as refused:
        applied({"a.py": text("x\n"), "two": text("x\nx\n")}, patch)
    assert why in str(refused.value)


def test_a_file_that_is_no_text_is_named() -> None:
    patch = unified({"a": File(b"\xff\x00")}, {"a": File(b"\xff\x01")})
    assert patch == "diff --git a/a b/a\nBinary files a/a and b/a differ\n"


def test_long_files_take_no_longer_than_they_are() -> None:
    def work(size: int) -> int:
        before, after = ("\n".join(f"{i % 7 + shift}" for i in range(size)) for shift in (0, 100))
        return len(unified({"a": text(before)}, {"a": text(after)}))

    assert_grows_linearly(work, 40_000)
