"""The laboratory's tasks as they are listed."""

import os
from pathlib import Path

import pytest
from tests.command_line import runner
from tests.unit.lab.number_task import TOML, number_task

from auto_benchmark.lab.check import check
from auto_benchmark.settings import Settings


def test_a_broken_task_is_named_and_the_others_are_listed(tmp_path, monkeypatch, capsys):
    number_task(tmp_path)
    (tmp_path / "broken").mkdir()
    (tmp_path / "broken" / "task.toml").write_text(TOML.replace('"minimize"', '"down"'))
    monkeypatch.setenv("AUTO_BENCHMARK_LAB", str(tmp_path))
    ended = runner(monkeypatch, capsys)("lab", "list", "--json")
    assert ended.code == 2 and [task["name"] for task in ended.json["tasks"]] == ["number"]
    assert ended.err.startswith("broken/task.toml:7: metadata.optimization.direction: should be ")


def reworded(right: str, wrong: str):
    def change(folder: Path) -> None:
        text = (folder / "task.toml").read_text()
        assert right in text
        (folder / "task.toml").write_text(text.replace(right, wrong))

    return change


def cheat(make):
    def change(folder: Path) -> None:
        place = folder / "tests" / "cheats" / "odd"
        place.mkdir(parents=True)
        (place / "cheat.toml").write_text('does = "Is no file."\nrefused_by = "files"\n')
        make(place / "number.py")

    return change


ODD = {
    "a tool": (reworded('python = "3"', 'pyhton = "3"'), "task.toml:15: metadata.optimization.toolchain.pyhton: is none of"),
    "twice": (reworded('["number.py"]', '["number.py", "number.py"]'), "task.toml:9: metadata.optimization.editable"),
    "the image": (reworded('["number.py"]', '["number.py", "Dockerfile"]'), "task.toml:9: metadata.optimization.editable"),
    "above": (reworded('["number.py"]', '[".."]'), "task.toml:9: metadata.optimization.editable"),
    "no text": (lambda f: (f / "instruction.md").write_bytes(b"a\n\xff"), "instruction.md:2: not UTF-8"),
    "a link": (lambda f: (f / "environment" / "data").symlink_to("/etc/passwd"), "environment/data: is a link"),
    "a pipe": (lambda f: os.mkfifo(f / "environment" / "data"), "environment/data: is no regular file"),
    "a folder": (lambda f: (f / "environment" / "data").mkdir(), "environment/data: is a folder"),
}  # fmt: skip


@pytest.mark.parametrize("what", ODD)
def test_an_odd_folder_is_named_with_its_place(tmp_path, monkeypatch, capsys, what):
    change, said = ODD[what]
    number_task(tmp_path)
    change(tmp_path / "number")
    monkeypatch.setenv("AUTO_BENCHMARK_LAB", str(tmp_path))
    for words in (("check", "number"), ("list",), ("export", "number", "--out", str(tmp_path / "out"))):
        ended = runner(monkeypatch, capsys)("lab", *words)
        assert ended.code in (1, 2)
        assert f"number/{said}" in ended.said
        assert "Traceback" not in ended.said


NO_NAMES = ["with space", "new\nline", "-dash", "UPPER", "x" * 200, "a$(touch x)b", os.fsdecode(b"\xff")]


@pytest.mark.parametrize("name", NO_NAMES)
def test_a_folder_with_a_name_that_no_task_may_have_is_a_fault(tmp_path, monkeypatch, capsys, name):
    number_task(tmp_path)
    (tmp_path / "number").rename(tmp_path / name)
    monkeypatch.setenv("AUTO_BENCHMARK_LAB", str(tmp_path))
    ended = runner(monkeypatch, capsys)("lab", "list")
    assert ended.code == 2
    assert "cannot be the name of a lab task" in ended.err
    assert ended.out == ""


@pytest.mark.parametrize("make", [Path.mkdir, os.mkfifo, lambda place: place.symlink_to("/etc/passwd")])
def test_a_cheat_may_be_what_is_no_file(tmp_path, make):
    number_task(tmp_path)
    cheat(make)(tmp_path / "number")
    found = check(Settings(lab=tmp_path), "number")
    assert found.cheats == (1, 1)
    assert found.problems == ["has 1 cheats in tests/cheats; at least 3 are wanted"]
