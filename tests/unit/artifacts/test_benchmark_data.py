"""Views and sealed answers on disk."""

from __future__ import annotations

import json
import multiprocessing
import re
import shutil
import stat
from pathlib import Path

import pytest

from auto_benchmark.artifacts.benchmark_data import BenchmarkData
from auto_benchmark.artifacts.split_seeds import PUBLISHED
from auto_benchmark.errors import InputError, RefusedError

MEMORY = Path(__file__).resolve().parents[3] / "include" / "benchmarks" / "memory"


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The memory benchmark with few worlds and without digests."""
    target = tmp_path_factory.mktemp("benchmarks") / "memory"
    shutil.copytree(MEMORY, target, ignore=shutil.ignore_patterns("__pycache__"))
    declared = (target / "benchmark.yaml").read_text(encoding="utf-8")
    small = re.sub(r', sha256: "\w+"', "", re.sub(r"worlds: \d+", "worlds: 3", declared))
    (target / "benchmark.yaml").write_text(small, encoding="utf-8")
    return target


def rows(path: Path) -> list[dict[str, object]]:
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]


def test_a_view_holds_answered_training_data_and_bare_inputs(folder: Path, tmp_path: Path) -> None:
    data = BenchmarkData(folder, tmp_path, PUBLISHED)
    view = data.view("gate")
    assert sorted(p.name for p in view.iterdir()) == ["inputs.jsonl", "train.jsonl"]
    training = [r for r in rows(view / "train.jsonl") if "id" in r]
    inputs = [r for r in rows(view / "inputs.jsonl") if "id" in r]
    assert training
    assert all(r["answer"] for r in training)
    assert all(set(r) == {"id", "context", "question"} for r in inputs)
    assert {r["id"] for r in inputs} == set(data.answers("gate")) == data.item_ids(view)


def test_files_of_a_view_are_read_only_and_answers_are_private(folder: Path, tmp_path: Path) -> None:
    data = BenchmarkData(folder, tmp_path, PUBLISHED)
    view = data.view("search")
    data.answers("search")
    assert all(stat.S_IMODE(p.stat().st_mode) == 0o444 for p in view.iterdir())
    sealed = list((tmp_path / "sealed").iterdir())
    assert [stat.S_IMODE(p.stat().st_mode) for p in sealed] == [0o600]
    assert stat.S_IMODE((tmp_path / "sealed").stat().st_mode) == 0o700
    assert not list(view.rglob("*sealed*"))


def test_a_subset_is_the_first_items_of_the_whole(folder: Path, tmp_path: Path) -> None:
    data = BenchmarkData(folder, tmp_path, PUBLISHED)
    whole = [r["id"] for r in rows(data.view("search") / "inputs.jsonl") if "id" in r]
    part = [r["id"] for r in rows(data.view("search", 0.1) / "inputs.jsonl") if "id" in r]
    assert part == whole[:15]  # ceil(144 * 0.1)
    assert data.answers("search", 0.1) == {i: data.answers("search")[str(i)] for i in part}
    with pytest.raises(InputError, match="subset"):
        data.view("search", 0.0)


def test_splits_share_no_input(folder: Path, tmp_path: Path) -> None:
    data = BenchmarkData(folder, tmp_path, PUBLISHED)
    texts = [(data.view(split) / "inputs.jsonl").read_text(encoding="utf-8") for split in ("search", "gate")]
    assert texts[0] != texts[1]
    assert data.view("search") != data.view("gate")


def test_hidden_is_refused_without_its_seed(folder: Path, tmp_path: Path) -> None:
    data = BenchmarkData(folder, tmp_path, PUBLISHED)
    with pytest.raises(RefusedError, match="arena"):
        data.view("hidden")
    with pytest.raises(RefusedError, match="arena"):
        data.answers("hidden")
    view = data.hidden_view(12345)
    assert data.item_ids(view) == set(data.hidden_answers(12345))
    assert data.hidden_view(54321) != view


def test_data_that_is_not_what_was_promised_is_refused(folder: Path, tmp_path: Path) -> None:
    other = tmp_path / "memory"
    shutil.copytree(folder, other)
    declared = (other / "benchmark.yaml").read_text(encoding="utf-8")
    (other / "benchmark.yaml").write_text(
        declared.replace("seed: 20260303, worlds: 3", f"seed: 20260303, worlds: 3, sha256: {'a' * 64}"),
        encoding="utf-8",
    )
    data = BenchmarkData(other, tmp_path / "home", PUBLISHED)
    data.view("search")
    with pytest.raises(InputError, match=r"splits\.gate\.sha256"):
        data.view("gate")
    assert not list((tmp_path / "home" / "data").glob(".writing-*"))


def _ask(folder: Path, root: Path) -> tuple[str, int]:
    data = BenchmarkData(folder, root, PUBLISHED)
    return str(data.view("gate")), len(data.answers("gate"))


def test_several_processes_may_ask_at_once(folder: Path, tmp_path: Path) -> None:
    with multiprocessing.get_context("spawn").Pool(3) as pool:
        found = pool.starmap(_ask, [(folder, tmp_path)] * 6)
    assert len(set(found)) == 1
    assert len(list((tmp_path / "data").iterdir())) == 1
    assert len(list((tmp_path / "sealed").iterdir())) == 1


def test_inputs_handed_out_become_a_view(folder: Path, tmp_path: Path) -> None:
    data = BenchmarkData(folder, tmp_path / "ours", PUBLISHED)
    handed_out = BenchmarkData(folder, tmp_path / "arena", PUBLISHED).hidden_view(99) / "inputs.jsonl"
    view = data.submit_view(handed_out)
    assert (view / "inputs.jsonl").read_bytes() == handed_out.read_bytes()
    assert (view / "train.jsonl").read_bytes() == (data.view("gate") / "train.jsonl").read_bytes()


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ("", "holds no item"),
        ("nonsense\n", ":1: not a JSON object"),
        ('{"id": "a"}\n[]\n', ":2: not a JSON object"),
        ('{"id": "a"}\n{"id": "a"}\n', ":2: id"),
        ('{"id": 7}\n', ":1: id"),
        ('{"id": "a", "answer": "x"}\n', ":1: answer"),
    ],
)
def test_faulty_inputs_are_refused_with_their_line(folder: Path, tmp_path: Path, content: str, message: str) -> None:
    file = tmp_path / "inputs.jsonl"
    file.write_text(content, encoding="utf-8")
    with pytest.raises(InputError, match=message):
        BenchmarkData(folder, tmp_path, PUBLISHED).submit_view(file)


def test_a_broken_generator_is_a_users_mistake(folder: Path, tmp_path: Path) -> None:
    other = tmp_path / "broken"
    shutil.copytree(folder, other, ignore=shutil.ignore_patterns("__pycache__"))
    (other / "generator.py").write_text("raise ValueError('no')\n", encoding="utf-8")
    with pytest.raises(InputError, match="cannot be imported: ValueError"):
        BenchmarkData(other, tmp_path, PUBLISHED).view("search")
