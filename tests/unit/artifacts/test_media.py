"""Files beside the items of a benchmark: who gets them, under which names, and what is refused."""

from __future__ import annotations

import json
import os
import tarfile
from io import BytesIO

import pytest
import yaml

from auto_benchmark.artifacts.benchmark_data import BenchmarkData
from auto_benchmark.errors import InputError
from auto_benchmark.project.benchmark_files import benchmark_faults
from auto_benchmark.runners.archive import pack

SPLITS = ("train", "search", "gate")


def picture(name):
    return f"\x89PNG {name}".encode()


@pytest.fixture
def folder(tmp_path):
    """A benchmark whose pictures are told apart by names that say the answer."""
    made = tmp_path / "shapes"
    made.mkdir()
    declared = {
        "name": "shapes", "version": "1", "task": "Say which shape", "scorer": "accuracy",
        "boards": {"Board": {"metric": "accuracy", "higher_is_better": True}},
        "splits": {name: {"items": f"{name}.jsonl"} for name in SPLITS},
    }  # fmt: skip
    (made / "benchmark.yaml").write_text(yaml.safe_dump(declared))
    for split in SPLITS:
        rows = []
        for i, answer in enumerate(("circle", "square") * 2):
            path = f"pictures/{answer}/{split}-{i}.png"
            (made / path).parent.mkdir(parents=True, exist_ok=True)
            (made / path).write_bytes(picture(path))
            rows.append({"id": f"{split}{i}", "input": {"image": path, "ask": "which?"}, "answer": answer})
        write(made, split, rows)
    return made


def write(folder, split, rows):
    (folder / f"{split}.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))


def read(path):
    return [json.loads(line) for line in path.read_text().splitlines()]


def told(folder, row):
    """What ``check`` says when ``row`` is the only one of the gate."""
    write(folder, "gate", [{"id": "g", "answer": "circle", **row}])
    faults, remarks = benchmark_faults(folder / "benchmark.yaml", lambda path: path.name)
    return [str(fault) for fault in faults], [str(remark) for remark in remarks]


def contents(view):
    return {f"media/{path.name}": path.read_bytes() for path in (view / "media").iterdir()}


def test_a_trial_finds_the_file_where_the_input_says(folder, tmp_path):
    view = BenchmarkData(folder, tmp_path / "home").view("gate")
    there = contents(view)
    by_id = {row["id"]: there[row["input"]["image"]] for row in read(view / "inputs.jsonl")}
    assert by_id == {
        f"gate{i}": picture(f"pictures/{a}/gate-{i}.png") for i, a in enumerate(("circle", "square") * 2)
    }
    assert all(row["input"]["image"] in there for row in read(view / "train.jsonl"))


def test_a_view_holds_its_own_files_alone(folder, tmp_path):
    data = BenchmarkData(folder, tmp_path / "home")
    assert {text.split()[1].split(b"/")[2][:4] for text in contents(data.view("search")).values()} == {
        b"trai",
        b"sear",
    }
    assert len(contents(data.view("gate", subset=0.5))) == 4 + 2


def test_neither_name_nor_date_of_a_file_tells_the_answer(folder, tmp_path):
    for path in folder.rglob("*.png"):
        os.utime(path, (1, 1 if "circle" in str(path) else 9))
    view = BenchmarkData(folder, tmp_path / "home").view("gate")
    files = list((view / "media").iterdir())
    assert len(files) == 8
    assert not any("circle" in file.name or "gate" in file.name for file in files)
    assert {(file.stat().st_mtime, file.stat().st_mode & 0o777) for file in files} == {(0, 0o444)}


def test_another_picture_under_the_same_name_is_other_data(folder, tmp_path):
    before = BenchmarkData(folder, tmp_path / "home").digest("gate")
    assert BenchmarkData(folder, tmp_path / "home").digest("gate") == before
    (folder / "pictures/circle/gate-0.png").write_bytes(b"other")
    assert BenchmarkData(folder, tmp_path / "home").digest("gate") != before


def test_a_picture_that_changes_between_reading_and_copying_stops_the_trial(folder, tmp_path):
    data = BenchmarkData(folder, tmp_path / "home")
    data.digest("gate")
    (folder / "pictures/circle/gate-0.png").write_bytes(b"other")
    with pytest.raises(InputError, match="has changed"):
        data.view("gate")


def test_files_of_any_kind_may_stand_under_media(folder, tmp_path):
    (folder / "notes.txt").write_text("a note")
    write(folder, "gate", [{"id": "g", "input": "What does notes.txt say?", "media": ["notes.txt"], "answer": "x"}])
    view = BenchmarkData(folder, tmp_path / "home").view("gate")
    (row,) = read(view / "inputs.jsonl")
    assert row["input"] == "What does notes.txt say?"
    assert [contents(view)[path] for path in row["media"]] == [b"a note"]


def test_a_table_names_files_in_its_cells(folder, tmp_path):
    for split in SPLITS:
        lines = [f"{row['input']['image']},{row['answer']}\n" for row in read(folder / f"{split}.jsonl")]
        (folder / f"{split}.csv").write_text("image,answer\n" + "".join(lines))
    declared = yaml.safe_load((folder / "benchmark.yaml").read_text())
    declared["splits"] = {name: {"items": f"{name}.csv"} for name in SPLITS}
    (folder / "benchmark.yaml").write_text(yaml.safe_dump(declared))
    view = BenchmarkData(folder, tmp_path / "home").view("gate")
    assert {row["input"]["image"] for row in read(view / "inputs.jsonl")} < contents(view).keys()


@pytest.mark.parametrize(
    ("path", "said"),
    [
        ("../elsewhere.png", "leads out of the folder"),
        ("/etc/passwd", "leads out of the folder"),
        ("link.png", "leads out of the folder"),
        ("circle.png", "cannot be looked up"),
        ("pictures", "names no file"),
        ("none.png", "names no file"),
        ("pipe.png", "names no file"),
        ("gate.jsonl", "not a file that a trial may see"),
        ("./pictures/../gate.jsonl", "not a file that a trial may see"),
        ("benchmark.yaml", "not a file that a trial may see"),
        ("a\0b.png", "should be a path"),
        ("", "should be a path"),
        (7, "should be a path"),
    ],
)
def test_a_path_under_media_is_a_file_of_the_folder_that_holds_no_answers(folder, path, said):
    (folder.parent / "elsewhere.png").write_bytes(b"secret")
    (folder / "link.png").symlink_to(folder.parent / "elsewhere.png")
    (folder / "circle.png").symlink_to("circle.png")
    os.mkfifo(folder / "pipe.png")
    faults, _ = told(folder, {"input": "x", "media": path})
    assert len(faults) == 1 and faults[0].startswith("gate.jsonl:1: media: ") and said in faults[0]


@pytest.mark.parametrize("path", ["../elsewhere.png", "/etc/logo.png", "link.png"])
def test_an_input_names_no_file_outside_the_folder(folder, path):
    (folder.parent / "elsewhere.png").write_bytes(b"secret")
    (folder / "link.png").symlink_to(folder.parent / "elsewhere.png")
    faults, _ = told(folder, {"input": {"deep": [path]}})
    assert faults == [f"gate.jsonl:1: input: leads out of the folder of benchmark.yaml: {path!r}"]


def test_an_input_that_looks_like_a_path_and_names_nothing_stays_a_text_and_is_mentioned(folder):
    faults, remarks = told(folder, {"input": {"image": "pictures/non.png", "url": "https://a.example/b.png"}})
    assert faults == []
    assert remarks == [
        "gate.jsonl:1: input: 1 look like paths of files and name none; the first is 'pictures/non.png'"
    ]


def test_questions_alike_about_other_pictures_are_not_repeated(folder):
    for split in SPLITS:
        rows = [{**row, "input": "which?", "media": row["input"]["image"]} for row in read(folder / f"{split}.jsonl")]
        write(folder, split, rows)
    assert benchmark_faults(folder / "benchmark.yaml", lambda path: path.name) == ([], [])


def test_an_arena_cannot_hand_files_out(folder):
    declared = yaml.safe_load((folder / "benchmark.yaml").read_text())
    write(folder, "hidden", [{"id": "h", "input": "pictures/circle/gate-0.png", "answer": "circle"}])
    declared["splits"]["hidden"] = {"items": "hidden.jsonl"}
    (folder / "benchmark.yaml").write_text(yaml.safe_dump(declared))
    faults, _ = benchmark_faults(folder / "benchmark.yaml", lambda path: path.name)
    assert [fault.message for fault in faults] == ["its rows name files, and an arena hands out texts alone"]


def test_a_container_gets_the_files_too(folder, tmp_path):
    view = BenchmarkData(folder, tmp_path / "home").view("gate")
    with tarfile.open(fileobj=BytesIO(pack(view))) as archive:
        assert {"inputs.jsonl", "train.jsonl"} | contents(view).keys() == set(archive.getnames())
