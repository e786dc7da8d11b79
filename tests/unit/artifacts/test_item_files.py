"""Benchmarks whose items lie in a user's own files: what trials see, what is sealed, what is refused."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import pytest
import yaml

from auto_benchmark.artifacts.benchmark_data import BenchmarkData
from auto_benchmark.errors import ConfigError, InputError, RefusedError
from auto_benchmark.project.benchmark_files import benchmark_faults

DECLARED = {
    "name": "mine",
    "version": "1",
    "task": "Say which",
    "scorer": "accuracy",
    "boards": {"Board": {"metric": "accuracy", "higher_is_better": True}},
    "splits": {name: {"items": f"{name}.jsonl"} for name in ("train", "search", "gate")},
}
ROWS = {
    split: [{"id": f"{split}{i}", "input": f"{split} text {i}", "answer": "yn"[i % 2]} for i in range(20)]
    for split in ("train", "search", "gate")
}


@pytest.fixture
def make(tmp_path):
    def made(files=None, **changes):
        folder = tmp_path / "mine"
        shutil.rmtree(folder, ignore_errors=True)
        folder.mkdir()
        (folder / "benchmark.yaml").write_text(yaml.safe_dump({**DECLARED, **changes}))
        lines = {f"{name}.jsonl": "".join(json.dumps(r) + "\n" for r in rows) for name, rows in ROWS.items()}
        for name, content in {**lines, **(files or {})}.items():
            (folder / name).write_bytes(content if isinstance(content, bytes) else content.encode())
        return folder

    return made


def rows(path: Path) -> list[dict[str, object]]:
    return [json.loads(line) for line in path.read_text().splitlines()]


def faults(folder):
    return [str(fault) for fault in benchmark_faults(folder / "benchmark.yaml", lambda path: path.name)[0]]


def test_a_trial_sees_answers_of_the_training_data_alone(make, tmp_path):
    data = BenchmarkData(make(), tmp_path / "home")
    view = data.view("gate")
    assert all(set(row) == {"id", "input", "answer"} for row in rows(view / "train.jsonl"))
    inputs = rows(view / "inputs.jsonl")
    assert all(set(row) == {"id", "input"} for row in inputs)
    assert data.answers("gate") == {row["id"]: {"answer": row["answer"]} for row in ROWS["gate"]}
    sealed = next((tmp_path / "home" / "sealed").iterdir())
    assert sealed.stat().st_mode & 0o777 == 0o600


def test_neither_order_nor_number_of_an_item_tells_its_answer(make, tmp_path):
    by_answer = "text,answer\n" + "".join(f"t{i},{'a' if i < 50 else 'b'}\n" for i in range(100))
    splits = {name: {"items": f"{name}.csv"} for name in ("train", "search", "gate")}
    files = {f"{name}.csv": by_answer.replace("t", f"{name[0]}t").replace(f"{name[0]}tex{name[0]}t", "text")
             for name in splits}  # fmt: skip
    data = BenchmarkData(make(files, splits=splits), tmp_path / "home")
    items = rows(data.view("gate") / "inputs.jsonl")
    assert [row["id"] for row in items] == [f"gate-{n}" for n in range(1, 101)]
    answers = data.answers("gate")
    first_half = sum(answers[row["id"]]["answer"] == "a" for row in items[:50])
    assert 15 <= first_half <= 35
    reversed_files = {
        name: "text,answer\n" + "\n".join(reversed(text.splitlines()[1:])) + "\n" for name, text in files.items()
    }
    again = BenchmarkData(make(reversed_files, splits=splits), tmp_path / "other")
    assert rows(again.view("gate") / "inputs.jsonl") == items and again.digest("gate") == data.digest("gate")


def test_changed_items_are_other_data(make, tmp_path):
    folder = make()
    before = BenchmarkData(folder, tmp_path / "home")
    known = before.digest("gate"), before.view("gate"), before.sha256(), before.digest("search")
    changed = [*ROWS["gate"][:-1], {**ROWS["gate"][-1], "answer": "y" if ROWS["gate"][-1]["answer"] == "n" else "n"}]
    (folder / "gate.jsonl").write_text("".join(json.dumps(row) + "\n" for row in changed))
    after = BenchmarkData(folder, tmp_path / "home")
    assert after.digest("gate") != known[0] and after.view("gate") != known[1] and after.sha256() != known[2]
    assert after.answers("gate") != before.answers("gate") and after.digest("search") == known[3]


def test_a_declared_digest_is_kept(make, tmp_path):
    digest = BenchmarkData(make(), tmp_path / "home").digest("gate")
    splits = {**DECLARED["splits"], "gate": {"items": "gate.jsonl", "sha256": digest}}
    assert BenchmarkData(make(splits=splits), tmp_path / "home").view("gate").is_dir()
    splits["gate"] = {"items": "gate.jsonl", "sha256": "0" * 64}
    with pytest.raises(InputError, match=r"splits\.gate\.sha256: is 0+, the file holds"):
        BenchmarkData(make(splits=splits), tmp_path / "home").view("gate")


def test_without_a_hidden_split_an_arena_is_refused_and_nothing_else(make, tmp_path):
    folder = make()
    assert faults(folder) == []
    with pytest.raises(RefusedError, match="has no hidden split"):
        BenchmarkData(folder, tmp_path / "home").hidden_view(7)


def test_columns_of_a_table_have_one_type_in_all_splits(make, tmp_path):
    files = {
        "train.csv": "\ufeffsize,code,answer,slice\n1,007,yes,s\n2.5,008,no,t\n",
        "search.csv": "size;code;answer;slice\n;009;yes;s\n",
        "gate.tsv": 'size\tcode\tanswer\tslice\n4\t"a\nb"\tno\ts\n-1e2\t7\tyes\tt\n',
    }
    splits = {"train": {"items": "train.csv"}, "search": {"items": "search.csv"}, "gate": {"items": "gate.tsv"}}
    data = BenchmarkData(make(files, splits=splits), tmp_path / "home")
    inputs = [row["input"] for split in ("search", "gate") for row in rows(data.view(split) / "inputs.jsonl")]
    assert {json.dumps(i, sort_keys=True) for i in inputs} == {
        json.dumps(i, sort_keys=True)
        for i in ({"size": None, "code": "009"}, {"size": 4, "code": "a\nb"}, {"size": -100.0, "code": "7"})
    }
    assert sorted(str(a["slice"]) for a in data.answers("gate").values()) == ["s", "t"]
    (data.folder / "gate.tsv").write_text("size\tcode\tanswer\nbig\t1\tno\n")
    assert faults(data.folder) == ["gate.tsv:2: size: should be a number, as in the training data, is 'big'"]


def test_fields_may_have_other_names(make, tmp_path):
    line = json.dumps({"uid": 7, "title": "t", "body": "b", "label": True, "who": "x"}) + "\n"
    fields = {"id": "uid", "input": ["title", "body"], "answer": "label"}
    files = {f"{name}.jsonl": line.replace('"t"', f'"{name}"') for name in ROWS}
    data = BenchmarkData(make(files, fields=fields), tmp_path / "home")
    assert rows(data.view("search") / "inputs.jsonl") == [{"id": "7", "input": {"title": "search", "body": "b"}}]
    assert data.answers("search") == {"7": {"answer": True}}


GOOD = '{"id": "a", "input": 1, "answer": "x"}\n'


@pytest.mark.parametrize(
    ("line", "said"),
    [
        ("nonsense", "gate.jsonl:2: not JSON: "),
        ("[1]", "gate.jsonl:2: not a JSON object"),
        ('{"id": "a", "input": 2, "answer": "x"}', "gate.jsonl:2: id: 'a' is also on line 1"),
        ('{"id": "b", "answer": "x"}', "gate.jsonl:2: input: is missing (there is answer, id)"),
        ('{"id": "b", "input": 2}', "gate.jsonl:2: answer: is missing (there is id, input)"),
        ('{"id": "b", "input": 2, "answer": null}', "gate.jsonl:2: answer: accuracy needs one label, is empty"),
        ('{"id": "b", "input": 2, "answer": ["x"]}', "gate.jsonl:2: answer: accuracy needs one label, is a list"),
        ('{"id": "b", "input": NaN, "answer": "x"}', "gate.jsonl:2: not JSON: NaN is not a number"),
        ('{"id": "b", "input": 1e999, "answer": "x"}', "gate.jsonl:2: input: a number beyond 1e+100"),
        ('{"id": "b", "id": "c", "input": 1, "answer": "x"}', "gate.jsonl:2: not JSON: 'id' is given twice"),
        ('{"id": "b", "input": "\\ud800", "answer": "x"}', "gate.jsonl:2: holds half a character"),
        ('{"id": "b\\u0000", "input": 2, "answer": "x"}', "gate.jsonl:2: id: should be a text of 1 to 200"),
        ('{"id": 1.5, "input": 2, "answer": "x"}', "gate.jsonl:2: id: should be a text of 1 to 200"),
        ('{"input": 2, "answer": "x"}', "gate.jsonl:2: id: is required, since other rows have one"),
        ('{"id": "b", "input": ' + "[" * 100_000 + "}", "gate.jsonl:2: not JSON: nested too deeply"),
        ('{"id": "b", "input": 2, "answer": "x", "slice": 3}', "gate.jsonl:2: slice: should be a name, is 3"),
    ],
)
def test_a_bad_row_is_named_by_file_line_and_field(make, line, said):
    (only,) = faults(make({"gate.jsonl": GOOD + line + "\n"}))
    assert only.startswith(said)


def test_every_bad_row_is_named_up_to_twenty(make):
    assert len(faults(make({"gate.jsonl": GOOD + "{}\n" * 3 + "x\n"}))) == 4
    assert len(faults(make({"gate.jsonl": "x\n" * 100}))) == 20


@pytest.mark.parametrize(
    ("content", "said"),
    [
        (b"", "gate.csv:1: is empty; the first line names the columns"),
        (b"a,answer\n", "gate.csv: holds no item"),
        (b"a,a,answer\n1,2,x\n", "gate.csv:1: column 2: 'a' is there twice"),
        (b"a,answer\n1\n", "gate.csv:2: has 1 cells for 2 columns"),
        (b"a,label\n1,x\n", "gate.csv:2: answer: is missing (there is a, label); if it has another name"),
        (b"a,answer\n1,x\n\xff,y\n", "gate.csv:3: not UTF-8"),
        (b'a,answer\n1,"x\n', "gate.csv:2: not delimited text"),
        (b"a,answer\n1,\x00\n", "gate.csv:2: holds a NUL character"),
    ],
)
def test_a_bad_table_is_named(make, content, said):
    splits = {**DECLARED["splits"], "gate": {"items": "gate.csv"}}
    found = faults(make({"gate.csv": content}, splits=splits))
    assert len(found) == 1 and found[0].startswith(said), found


@pytest.mark.parametrize(
    ("changes", "said"),
    [
        ({"scorer": "acuracy"}, "scorer: no standard metric is called 'acuracy'; did you mean 'accuracy'?"),
        ({"secondary": ["rmse"]}, "secondary[0]: rmse needs numbers as answers, accuracy needs labels"),
        ({"secondary": ["speed"]}, "secondary[0]: no standard metric is called 'speed'"),
        ({"boards": {"B": {"metric": "macro_f1", "higher_is_better": False}}},
         "boards.B.higher_is_better: macro_f1 counts up"),
        ({"splits": {**DECLARED["splits"], "gate": {"items": "../gate.jsonl"}}}, "should be a path below the folder"),
        ({"splits": {**DECLARED["splits"], "gate": {"items": "/gate.jsonl"}}}, "should be a path below the folder"),
        ({"splits": {**DECLARED["splits"], "gate": {"items": "gate.xlsx"}}}, "should end in .jsonl, .csv or .tsv"),
        ({"splits": {**DECLARED["splits"], "gate": {"items": "search.jsonl"}}}, "is the file of search too"),
        ({"splits": {**DECLARED["splits"], "gate": {"worlds": 3, "seed": 1}}}, "is required where there is no generator"),
        ({"splits": {**DECLARED["splits"], "gate": {"items": "gate.jsonl", "seed": 1}}}, "has neither seed nor worlds"),
        ({"splits": {**DECLARED["splits"], "gate": {"items": "none.jsonl"}}}, "none.jsonl: cannot be read: No such file"),
        ({"name": "other"}, "name: should be the folder's name, 'mine', is 'other'"),
    ],
)  # fmt: skip
def test_a_faulty_declaration_is_named(make, changes, said):
    found = faults(make(**changes))
    assert any(said in fault for fault in found), found


def test_numbers_are_asked_for_where_the_metric_needs_them(make, tmp_path):
    board = {"B": {"metric": "rmse", "higher_is_better": False}}
    assert "gate.jsonl:1: answer: rmse needs a number, is 'y'" in faults(make(scorer="rmse", boards=board))
    files = {f"{name}.csv": f"a,answer\n{n},1.5\n" for n, name in enumerate(ROWS)}
    splits = {name: {"items": f"{name}.csv"} for name in ROWS}
    data = BenchmarkData(make(files, splits=splits, scorer="rmse", boards=board), tmp_path / "home")
    assert data.answers("gate") == {"gate-1": {"answer": 1.5}}
    assert data.scorer().score({"gate-1": 2.0}, data.answers("gate")).metrics == {"rmse": 0.5}


def test_what_is_probably_not_meant_is_said(make):
    same = (
        json.dumps(ROWS["train"][0]) + "\n" + json.dumps({"id": "z", "input": "new", "answer": "y", "who": 1}) + "\n"
    )
    found = benchmark_faults(make({"gate.jsonl": same}) / "benchmark.yaml", lambda path: path.name)
    remarks = [str(remark) for remark in found[1]]
    assert found[0] == [] and any("1 of the 2 different inputs of gate are also in train" in r for r in remarks)
    assert any(r.startswith("gate.jsonl: who: not used") for r in remarks), remarks


def test_faulty_rows_stop_a_trial_with_their_place(make, tmp_path):
    with pytest.raises(ConfigError, match=r"gate\.jsonl:1: not JSON"):
        BenchmarkData(make({"gate.jsonl": "x\n"}), tmp_path / "home").view("gate")
