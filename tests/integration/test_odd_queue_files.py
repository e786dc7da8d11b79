"""The queue's folder belongs to people: whatever lies there, however it came there, the work goes on and nothing is lost."""

from __future__ import annotations

import os
import threading
import time
from pathlib import Path

import pytest
from tests.toy_project import Toy

from auto_benchmark import trees
from auto_benchmark.ideas import queue_folder
from auto_benchmark.ideas.queue_folder import SETTLED_S
from auto_benchmark.ideas.steps import reconcile

IDEA = """title: Read everything
implementation:
  change: reads to its end
  params: {reads: 6}
  effort: Low
  estimated_gain: 0.02
"""


@pytest.fixture
def queue(toy: Toy) -> Path:
    reconcile(toy.ctx)
    return toy.ctx.home / "experiments" / "queue"


NAMES = (
    "a" * 250 + ".yaml", "ü" * 124 + ".yaml", "two\nlines.yaml", os.fsdecode(b"\xff\xfe.yaml"), "\x1b[31mred.yaml",
    " .yaml", "-.yaml", "..yaml",
)  # fmt: skip


def test_a_file_may_have_any_name(toy: Toy, queue: Path) -> None:
    for text in (IDEA.replace("6", "7777"), IDEA):
        for name in NAMES:
            (queue / name).write_text(text)
        reconcile(toy.ctx)
        assert not [name for name in NAMES if (queue / name).exists()], toy.said
    kept = [file.read_text() for file in queue.iterdir() if file.suffix == ".refused"]
    assert kept == [IDEA.replace("6", "7777")] * len(NAMES)
    assert [view.name for view in queue.glob("H-*.yaml")] == ["H-001.yaml"]


def make_folder(view: Path) -> None:
    view.mkdir()


def make_full_folder(view: Path) -> None:
    view.mkdir()
    (view / "mine").write_text("mine")


def make_pipe(view: Path) -> None:
    os.mkfifo(view)


def make_link(view: Path) -> None:
    view.symlink_to("/etc/hostname")


def make_dangling(view: Path) -> None:
    view.symlink_to("nowhere")


def test_what_has_the_name_of_a_view_and_is_no_file_stops_nothing(toy: Toy, queue: Path) -> None:
    (queue / "mine.yaml").write_text(IDEA)
    for make in (make_folder, make_full_folder, make_pipe, make_link, make_dangling):
        places = [queue.parent / folder / "H-001.yaml" for folder in ("queue", "active", "archived")]
        for place in places:
            make(place)
        reconcile(toy.ctx)
        reconcile(toy.ctx)
        for place in places:
            assert os.path.lexists(place)
            trees.remove(place)
    reconcile(toy.ctx)
    assert (queue / "H-001.yaml").is_file()


def writing(file: Path, parts: list[str], pause_s: float) -> threading.Thread:
    """Somebody who writes a file in parts."""

    def write() -> None:
        with file.open("a") as open_file:
            for part in parts:
                time.sleep(pause_s)
                open_file.write(part)
                open_file.flush()

    thread = threading.Thread(target=write)
    thread.start()
    return thread


def test_a_half_written_file_is_read_when_it_is_whole(toy: Toy, queue: Path) -> None:
    half = IDEA.index("0.02") + 2  # "0.", a sound document that claims another gain
    file = queue / "mine.yaml"
    file.write_text(IDEA[:half])
    writer = writing(file, [IDEA[half:]], SETTLED_S / 2)
    reconcile(toy.ctx)
    writer.join()
    assert file.read_text() == IDEA
    reconcile(toy.ctx)
    assert "estimated_gain: 0.02" in (queue / "H-001.yaml").read_text()
    assert not file.exists()


@pytest.mark.parametrize("first", [IDEA, IDEA.replace("6", "7777")], ids=["sound", "wrong"])
def test_what_takes_a_files_place_while_it_is_read_is_the_next_ones(
    toy: Toy, queue: Path, monkeypatch: pytest.MonkeyPatch, first: str
) -> None:
    file, second = queue / "mine.yaml", IDEA.replace("6", "5")
    file.write_text(first)
    read = queue_folder.read_idea

    def read_and_replaced(path: Path, **more: str) -> object:
        try:
            return read(path, **more)
        finally:
            (queue / "other").write_text(second)
            (queue / "other").rename(file)
            monkeypatch.undo()

    monkeypatch.setattr(queue_folder, "read_idea", read_and_replaced)
    reconcile(toy.ctx)
    assert file.read_text() == second
    reconcile(toy.ctx)
    assert not file.exists()
    views = [view.read_text() for view in sorted(queue.glob("H-*.yaml"))]
    assert "reads: 5" in views[-1]
    assert len(views) == (2 if first == IDEA else 1)


@pytest.mark.skipif(os.geteuid() == 0, reason="root may read everything")
def test_a_file_that_cannot_be_read_is_left_and_said(toy: Toy, queue: Path) -> None:
    (queue / "closed.yaml").write_text(IDEA)
    (queue / "closed.yaml").chmod(0)
    (queue / "open.yaml").write_text(IDEA)
    reconcile(toy.ctx)
    assert (queue / "H-001.yaml").exists()
    assert any("closed.yaml" in line for line in toy.said)
