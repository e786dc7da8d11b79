"""A promoted change becomes a branch or a commit of the user's checkout: nothing of theirs runs, nothing is lost."""

from __future__ import annotations

import subprocess

import pytest

from auto_benchmark.project.checkout import Checkout, CheckoutError

NAME = "p-H-001"


@pytest.fixture
def sides(tmp_path):
    """The tree before and the tree after: one file changed, one added, one removed."""
    before, after = tmp_path / "before", tmp_path / "after"
    for folder, files in (
        (before, {"train.py": "1\n", "old.py": "x\n", "same.py": "s\n"}),
        (after, {"train.py": "2\n", "lib/new.py": "n\n", "same.py": "s\n"}),
    ):
        for name, content in files.items():
            (folder / name).parent.mkdir(parents=True, exist_ok=True)
            (folder / name).write_text(content)
    return before, after


@pytest.fixture
def repo(tmp_path, sides):
    """A checkout whose folder ``solutions/toy`` is the tree before; its hooks and filters leave a mark."""
    root = tmp_path / "repo"
    folder = root / "solutions" / "toy"
    folder.mkdir(parents=True)
    for file in sides[0].iterdir():
        (folder / file.name).write_bytes(file.read_bytes())
    (root / "mine.txt").write_text("a\n")
    (root / ".gitattributes").write_text("*.py filter=evil\n")
    git(root, "init", "-q", "-b", "main")
    git(root, "add", "-A")
    git(root, "-c", "user.name=a", "-c", "user.email=a@example.org", "commit", "-qm", "first")
    mark = tmp_path / "ran"
    for hook in ("pre-commit", "post-commit", "reference-transaction", "post-index-change"):
        (root / ".git" / "hooks" / hook).write_text(f"#!/bin/sh\ntouch {mark}\n")
        (root / ".git" / "hooks" / hook).chmod(0o755)
    git(root, "config", "filter.evil.clean", f"touch {mark}; cat")
    return root


def git(root, *words):
    return subprocess.run(["git", "-C", root, *words], capture_output=True, text=True, check=True).stdout.strip()


def test_a_branch_holds_the_change_and_the_checkout_stays(repo, sides, tmp_path):
    head, folder = git(repo, "rev-parse", "HEAD"), repo / "solutions" / "toy"
    (repo / "mine.txt").write_text("b\n")
    checkout = Checkout.of(folder)
    assert checkout.branch(NAME, *sides, "better\n\nH-001") == "the branch p-H-001 holds it"
    assert checkout.branch(NAME, *sides, "again") == "the branch p-H-001 holds it"
    assert not (tmp_path / "ran").exists()
    changed = git(repo, "diff", "--name-status", "main", NAME).split("\n")
    assert sorted(changed) == ["A\tsolutions/toy/lib/new.py", "D\tsolutions/toy/old.py", "M\tsolutions/toy/train.py"]
    assert git(repo, "rev-parse", "HEAD") == head and (folder / "train.py").read_text() == "1\n"
    assert git(repo, "log", "-1", "--format=%s%n%an", NAME) == "better\nAuto Benchmark"


def test_a_commit_moves_the_branch_and_the_files_and_may_be_repeated(repo, sides, tmp_path):
    folder = repo / "solutions" / "toy"
    for _ in range(2):
        assert Checkout.of(folder).commit(*sides, "better") == "it is committed on the checked-out branch"
    assert not (tmp_path / "ran").exists()
    assert (folder / "lib" / "new.py").read_text() == "n\n" and not (folder / "old.py").exists()
    git(repo, "config", "filter.evil.clean", "cat")
    assert git(repo, "status", "--porcelain") == "" and git(repo, "rev-list", "--count", "HEAD") == "2"


def test_a_commit_that_died_before_its_files_is_finished(repo, sides):
    folder = repo / "solutions" / "toy"
    checkout = Checkout.of(folder)
    checkout._told("update-ref", "HEAD", checkout._commit(*sides, "better"), checkout.head)
    assert (folder / "train.py").read_text() == "1\n"
    Checkout.of(folder).commit(*sides, "better")
    assert (folder / "train.py").read_text() == "2\n" and git(repo, "rev-list", "--count", "HEAD") == "2"


def test_what_people_have_changed_is_never_overwritten(repo, sides):
    folder = repo / "solutions" / "toy"
    (folder / "train.py").write_text("mine\n")
    with pytest.raises(CheckoutError, match="edits in these files that are not committed"):
        Checkout.of(folder).commit(*sides, "better")
    git(repo, "-c", "user.name=a", "-c", "user.email=a@example.org", "commit", "-qam", "mine")
    for act in (lambda c: c.commit(*sides, "better"), lambda c: c.branch("b", *sides, "better")):
        with pytest.raises(CheckoutError, match=r"has other content in train\.py"):
            act(Checkout.of(folder))
    assert (folder / "train.py").read_text() == "mine\n"


def test_outside_of_a_checkout_it_says_so(tmp_path):
    with pytest.raises(CheckoutError, match="in no git checkout"):
        Checkout.of(tmp_path)
