"""Two constructions are compared from their files, or refused with what is wrong in them."""

import json
import shutil
from pathlib import Path

import numpy as np
import pytest

from auto_benchmark.construction.consistency import compare
from auto_benchmark.construction.stages import read_rows, write_rows
from auto_benchmark.errors import ConfigError, InputError, RefusedError

SYSTEMS = [f"system_{i}" for i in range(8)]


def built(folder: Path, seed: int, *, turned: bool = False, systems=SYSTEMS, subtask: str = "tables_sum") -> Path:
    """What a construction leaves, as far as it is read here; systems get better by number."""
    rng = np.random.default_rng(seed)
    items = [f"{seed:04x}{i:04x}" for i in range(200)]
    right = rng.random((len(systems), len(items))) < np.linspace(0.2, 0.8, len(systems))[:, None]
    for split, ids in (("search", items[:100]), ("gate", items[100:])):
        write_rows(folder / "benchmark" / f"{split}.jsonl", [{"id": i, "slice": subtask} for i in ids])
    rows = [
        {"name": name, "version": "1.0", "kind": "external program", "learned": "each subtask apart", "failed": None,
         "accuracy": 0.5, "accuracy_gate": 0.5, "right": dict(zip(items, map(int, of), strict=True))}
        for name, of in zip(systems, right[::-1] if turned else right, strict=True)
    ]  # fmt: skip
    write_rows(folder / "candidates.jsonl", rows)
    (folder / "card.yaml").write_text("name: sums\nversion: '1'\npurpose: sums\n")
    return folder


@pytest.fixture
def pair(tmp_path) -> tuple[Path, Path]:
    return built(tmp_path / "one", 1), built(tmp_path / "other", 2)


def changed(folder: Path, line: int, **changes) -> None:
    rows = read_rows(folder / "candidates.jsonl")
    rows[line] = {**rows[line], **changes}
    write_rows(folder / "candidates.jsonl", rows)


def test_two_builds_of_one_truth_are_alike_and_a_turned_one_is_not(pair, tmp_path):
    alike, unlike = compare(*pair), compare(pair[0], built(tmp_path / "turned", 3, turned=True))
    assert (
        alike["tau"] > 0.7 and alike["corrected"] > 0.85 and alike["verdict"] == "no less alike than noise explains"
    )
    assert unlike["tau"] < -0.7 and unlike["verdict"] == "less alike than noise explains"
    assert alike["interval"][0] < alike["tau"] <= alike["interval"][1] and alike["warnings"] == []
    assert json.loads(json.dumps(alike, allow_nan=False)) == alike


def test_only_the_same_programs_are_compared_and_it_says_so(pair):
    changed(pair[1], 0, version="2.0")
    changed(pair[1], 1, failed="ValueError: no")
    changed(pair[1], 2, name="another")
    found = compare(*pair)
    assert len(found["candidates"]) == 5 and found["left_out"] == {
        "another": "answered one of them only", "system_0": "version 1.0 and 2.0", "system_1": "failed: ValueError: no",
        "system_2": "answered one of them only",
    }  # fmt: skip
    changed(pair[1], 3, learned="all subtasks together")
    with pytest.raises(
        RefusedError, match="4 candidates answered both, 5 are needed; answered one of them only: another"
    ):
        compare(*pair)


def test_items_of_both_count_for_neither(pair):
    ids = [row["id"] for row in read_rows(pair[0] / "benchmark" / "gate.jsonl")][:7]
    old = [row["id"] for row in read_rows(pair[1] / "benchmark" / "gate.jsonl")][:7]
    for file in (pair[1] / "candidates.jsonl", pair[1] / "benchmark" / "gate.jsonl"):
        text = file.read_text()
        for new, name in zip(ids, old, strict=True):
            text = text.replace(name, new)
        file.write_text(text)
    found = compare(*pair)
    assert found["common_items"] == 7 and [build["items"] for build in found["builds"]] == [193, 193]


def test_other_subtasks_and_planted_programs_are_warned_of(pair, tmp_path):
    other = built(tmp_path / "third", 3, subtask="tables_rank")
    for line in range(len(SYSTEMS)):
        changed(pair[0], line, kind="planted")
    first, second = compare(pair[0], other)["warnings"]
    assert "tables_rank, tables_sum in one of them only" in first and "8 planted programs" in second


@pytest.mark.parametrize(
    ("spoil", "words"),
    [
        (lambda d: (d / "candidates.jsonl").unlink(), "there is no candidates.jsonl"),
        (lambda d: (d / "candidates.jsonl").write_text("{\n"), "candidates.jsonl:1: is not a JSON object"),
        (lambda d: changed(d, 2, right={}), "candidates.jsonl:3: right: 200 items differ from search, gate"),
        (lambda d: changed(d, 2, right={"a": 2}), "candidates.jsonl:3: right"),
        (lambda d: changed(d, 2, name="system_0"), "candidates.jsonl:3: name: 'system_0' stands there twice"),
        (lambda d: (d / "benchmark" / "gate.jsonl").unlink(), "gate.jsonl: cannot be read"),
        (lambda d: (d / "card.yaml").write_text("x: 1\n"), "card.yaml"),
    ],
)
def test_a_damaged_file_is_named_by_line_and_field(pair, spoil, words):
    spoil(pair[1])
    with pytest.raises((InputError, ConfigError)) as refused:
        compare(*pair)
    assert words in str(refused.value)


def test_one_folder_is_not_compared_with_itself(pair):
    with pytest.raises(RefusedError, match="are one construction"):
        compare(pair[0], pair[0])


def test_systems_that_are_all_equally_good_have_no_order(pair):
    for line in range(len(SYSTEMS)):
        row = read_rows(pair[1] / "candidates.jsonl")[line]
        changed(pair[1], line, right=dict.fromkeys(row["right"], 1))
    with pytest.raises(RefusedError, match="equally good"):
        compare(*pair)


def test_a_copy_and_a_link_that_leads_nowhere_are_refused_with_the_reason(pair, tmp_path):
    shutil.copytree(pair[0], tmp_path / "copy")
    (tmp_path / "loop").symlink_to("loop")
    with pytest.raises(RefusedError, match="there are 8 and 0; 200 items stand in both and count for neither"):
        compare(pair[0], tmp_path / "copy")
    with pytest.raises(InputError, match="loop: no finished construction"):
        compare(pair[0], tmp_path / "loop")
