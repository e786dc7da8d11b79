"""From a workspace only editable, regular files are taken, and nothing in it leads out of it."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from auto_benchmark.agents.brief import PastAttempt
from auto_benchmark.agents.chosen import chosen
from auto_benchmark.agents.workspace import (
    File,
    WorkspaceError,
    WorkspaceLimits,
    all_files,
    editable_files,
    is_editable,
    read_small,
    write_files,
)


@pytest.fixture
def workspace(tmp_path: Path) -> Path:
    folder = tmp_path / "workspace"
    write_files(folder, {"a.py": File(b"1"), "src/b.py": File(b"2", executable=True), "other/c": File(b"3")})
    return folder


def test_only_editable_files_are_taken(workspace: Path) -> None:
    found = editable_files(workspace, ("a.py", "src"))
    assert found.files == {"a.py": File(b"1"), "src/b.py": File(b"2", executable=True)}
    assert editable_files(workspace, (".",)).files.keys() == {"a.py", "src/b.py", "other/c"}


@pytest.mark.parametrize(
    ("name", "expected"),
    [("src", True), ("src/x", True), ("srcs", False), ("a/src", False), ("../src/x", False), ("a.md", True)],
)
def test_a_folder_is_editable_with_all_that_lies_in_it(name: str, expected: bool) -> None:
    assert is_editable(name, ("src", "b.py", "*.md")) is expected


def test_what_is_no_file_of_its_own_is_refused_by_name(workspace: Path, tmp_path: Path) -> None:
    secret = tmp_path / "secret"
    secret.write_text("labels")
    (workspace / "src" / "link.py").symlink_to(secret)
    os.link(secret, workspace / "src" / "hard.py")
    os.mkfifo(workspace / "src" / "pipe")
    (workspace / "src" / "out").symlink_to(tmp_path, target_is_directory=True)
    found = editable_files(workspace, ("src",))
    assert set(found.files) == {"src/b.py"}
    assert found.refused == {
        "src/link.py": "a link",
        "src/hard.py": "not a file of its own",
        "src/pipe": "not a regular file",
        "src/out": "a link",
    }


@pytest.mark.parametrize("inside", ["..", "/", "/etc", "src/../..", "src/out", "nowhere", "a.py"])
def test_no_folder_leads_out(workspace: Path, inside: str) -> None:
    (workspace / "src" / "out").symlink_to("/etc", target_is_directory=True)
    with pytest.raises(WorkspaceError):
        editable_files(workspace, (".",), inside=inside)


def test_too_much_is_refused_before_it_is_read(workspace: Path) -> None:
    with (workspace / "a.py").open("wb") as file:
        file.truncate(2**40)
    with pytest.raises(WorkspaceError, match=r"a\.py: too large"):
        editable_files(workspace, ("a.py",))
    assert set(editable_files(workspace, ("src",)).files) == {"src/b.py"}
    with pytest.raises(WorkspaceError, match="more than 0 files"):
        all_files(workspace / "src", bounds=WorkspaceLimits(files=0))


def test_a_pattern_is_looked_for_everywhere(workspace: Path) -> None:
    assert set(editable_files(workspace, ("*.py",)).files) == {"a.py", "src/b.py"}


def test_compiled_code_is_never_taken(workspace: Path) -> None:
    write_files(workspace / "src" / "__pycache__", {"b.pyc": File(b"x")})
    assert set(editable_files(workspace, ("src",)).files) == {"src/b.py"}


def test_files_are_written_over_whatever_is_there(workspace: Path) -> None:
    (workspace / "a.py").unlink()
    (workspace / "a.py").mkdir()
    (workspace / "link").symlink_to("/etc/passwd")
    files = {"a.py": File(b"4"), "link": File(b"5"), "src/new/d": File(b"6")}
    write_files(workspace, files)
    assert all_files(workspace).files == files
    assert Path("/etc/passwd").read_bytes() != b"5"


def past(attempt: int, valid: bool) -> PastAttempt:
    return PastAttempt(attempt, valid, 1.0 if valid else None, None, "", "")


@pytest.mark.parametrize(
    ("text", "expected"), [(None, 2), ("1", 1), (" 3\n", 3), ("4", 2), ("-1", 2), ("²", 2), ("x" * 99, 2), ("", 2)]
)
def test_the_choice_is_what_the_agent_names_or_the_last_valid_attempt(
    workspace: Path, text: str | None, expected: int
) -> None:
    if text is not None:
        write_files(workspace / ".ab", {"choice": File(text.encode())})
    assert chosen(workspace, [past(1, True), past(2, True), past(3, False)]) == expected


def test_nothing_is_chosen_where_nothing_is_valid(workspace: Path) -> None:
    assert chosen(workspace, [past(1, False)]) is None
    (workspace / ".ab").symlink_to("/etc")
    assert read_small(workspace, ".ab/hostname", most=100) is None


@pytest.mark.parametrize("names", [("lib", "lib/a.py"), ("a" * 250,), ("d/" + "é" * 110,)])
def test_files_that_cannot_lie_in_one_folder_leave_it_as_it_was(tmp_path, names):
    (tmp_path / "kept").write_text("x")
    with pytest.raises(WorkspaceError):
        write_files(tmp_path, {name: File(b"y") for name in names})
    assert [path.name for path in tmp_path.iterdir()] == ["kept"]
