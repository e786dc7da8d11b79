"""A sheet for readers tells nothing that they should not know, and their ratings are read or refused by line."""

import csv
import hashlib
import html
import json
from collections import Counter
from pathlib import Path

import pytest
from typer.testing import CliRunner

from auto_benchmark import atomic
from auto_benchmark.commands.construct import app
from auto_benchmark.construction.belonging import working_in
from auto_benchmark.construction.dice import dice
from auto_benchmark.construction.folder import BENCHMARK, PRIVILEGED
from auto_benchmark.construction.review import import_ratings
from auto_benchmark.construction.review_sheet import COLUMNS, PLANTED, write_sheet
from auto_benchmark.construction.source import Description, sources_by_name
from auto_benchmark.construction.sources import SOURCES
from auto_benchmark.construction.stages import read_rows, write_rows
from auto_benchmark.errors import ConfigError, InputError, RefusedError
from auto_benchmark.stats.intervals import wilson_interval, wilson_interval_of_units

BY_NAME = sources_by_name(SOURCES)


def built(folder: Path, forms: dict[str, int]) -> Path:
    """What a review reads of a finished construction."""
    rows = []
    for key, count in forms.items():
        name, form = key.split(".")
        params = {n: p.draw(dice(key, n)) for n, p in BY_NAME[name].form(form).parameters.items()}
        for item in BY_NAME[name].generate(Description(name, form, params), count, "review"):
            if item.asked.media is not None:
                atomic.write_bytes(folder / BENCHMARK / str(item.media_name), item.asked.media.content)
            rows.append({**item.record(), "split": "gate"})
    write_rows(folder / PRIVILEGED, rows)
    return folder


@pytest.fixture(scope="module")
def folder(tmp_path_factory) -> Path:
    return built(tmp_path_factory.mktemp("built"), {"arithmetic.expression": 30, "elements.most": 30})


def sheet_of(folder: Path) -> list[dict]:
    with write_sheet(folder).path.open() as file:
        return list(csv.DictReader(file))


def rated(path: Path, text: str) -> Path:
    path.write_text(text)
    return path


def test_half_of_what_is_planted_are_wrong_keys_and_the_rest_is_of_each_other_class(folder):
    sheet_of(folder)
    planted = Counter(row["planted"] for row in read_rows(folder / PLANTED))
    assert planted == {
        None: 32,
        "wrong key": 4,
        "echo": 1,
        "unanswerable": 1,
        "two right options": 1,
        "leaked instruction": 1,
    }


def test_a_planted_key_is_wrong_and_all_others_are_the_records(folder):
    rows, told = sheet_of(folder), read_rows(folder / PLANTED)
    keys = {row["id"]: str(row["answer"]) for row in read_rows(folder / PRIVILEGED)}
    for row, one in zip(rows, told, strict=True):
        assert (row["answer"].lstrip("'") == keys[one["id"]].lstrip("'")) is (one["planted"] != "wrong key")


def test_a_wrong_key_is_an_answer_that_a_candidate_gave_where_there_is_one(tmp_path):
    built(tmp_path, {"arithmetic.expression": 40})
    rows = read_rows(tmp_path / PRIVILEGED)
    write_rows(tmp_path / "stages" / "answers_arithmetic_expression.jsonl", [
        {"candidate": "one", "id": row["id"], "given": given, "right": False}
        for row in rows for given in (f"{row['answer']}", "987654", "no idea", None, "")
    ])  # fmt: skip
    sheet, told = sheet_of(tmp_path), read_rows(tmp_path / PLANTED)
    wrong = {row["answer"] for row, one in zip(sheet, told, strict=True) if one["planted"] == "wrong key"}
    assert wrong == {"987654"}


def test_a_wrong_key_of_tokens_is_another_key_of_tokens_and_none_is_echoed(tmp_path):
    built(tmp_path, {"safety_probes.canary": 40})
    rows = read_rows(tmp_path / PRIVILEGED)
    said = [{"candidate": "one", "id": row["id"], "given": "I cannot help.", "right": False} for row in rows]
    write_rows(tmp_path / "stages" / "answers_safety_probes_canary.jsonl", said)
    keys = {row["id"]: row["answer"] for row in rows}
    sheet, told = sheet_of(tmp_path), read_rows(tmp_path / PLANTED)
    wrong = [(row["answer"], keys[one["id"]]) for row, one in zip(sheet, told, strict=True)
             if one["planted"] == "wrong key"]  # fmt: skip
    assert len(wrong) == 4 and all(shown.startswith("with") and shown != key for shown, key in wrong)
    assert "echo" not in {one["planted"] for one in told}


def test_two_benchmarks_have_their_planted_items_in_different_places(folder, tmp_path):
    sheet_of(folder)
    other = built(tmp_path, {"arithmetic.prime": 60})
    sheet_of(other)
    places = [[row["number"] for row in read_rows(f / PLANTED) if row["planted"]] for f in (folder, other)]
    assert len(places[0]) == len(places[1]) == 8 and places[0] != places[1]


def test_what_a_rater_gets_lies_in_one_folder_and_tells_nothing(tmp_path):
    built(tmp_path, {"charts.value": 6, "safety_probes.canary": 6})
    rows, told = sheet_of(tmp_path), read_rows(tmp_path / PLANTED)
    given = tmp_path / "review" / "for_raters"
    assert tuple(rows[0]) == tuple(name for name in COLUMNS if name not in ("context", "options"))
    assert {p.name for p in given.iterdir()} == {"README.md", "sheet.csv", "items.html", "media"}
    texts = "".join((given / name).read_text() for name in ("README.md", "sheet.csv", "items.html"))
    assert not any(row["id"] in texts for row in told)
    pictures = {row["id"]: row["media_sha256"] for row in read_rows(tmp_path / PRIVILEGED)}
    for row, one in zip(rows, told, strict=True):
        if pictures[one["id"]] and one["planted"] != "unanswerable":
            assert hashlib.sha256((given / row["media"]).read_bytes()).hexdigest() == pictures[one["id"]]
        else:
            assert not row["media"]
    assert any(row["rules"] for row in rows) and "has to refuse" in (given / "README.md").read_text()


def test_the_page_shows_every_item_with_its_picture_or_sound_and_runs_nothing(tmp_path):
    built(tmp_path, {"charts.value": 3, "tones.count": 3, "elements.most": 3})
    rows = read_rows(tmp_path / PRIVILEGED)
    rows[-1]["input"]["question"] = "<script>alert(1)</script> & which?"
    write_rows(tmp_path / PRIVILEGED, rows)
    sheet, told = sheet_of(tmp_path), read_rows(tmp_path / PLANTED)
    page = (tmp_path / "review" / "for_raters" / "items.html").read_text()
    shown = [row["media"].rpartition(".")[2] for row in sheet]
    assert page.count('src="data:image/png;base64,') == shown.count("png") > 0
    assert page.count('src="data:audio/wav;base64,') == shown.count("wav") > 0
    assert "<script" not in page and "default-src 'none'" in page and page.count("<section>") == len(told) == 9
    assert all(
        html.escape(row["question"]) in page and html.escape(row["answer"].lstrip("'")) in page for row in sheet
    )


def test_a_sheet_has_no_column_in_which_nothing_stands(folder):
    assert set(sheet_of(folder)[0]) == {"number", "question", "options", "answer", "accept", "reason"}


def test_a_picture_that_is_missing_is_named(tmp_path):
    built(tmp_path, {"charts.value": 3})
    picture = next((tmp_path / BENCHMARK / "media").iterdir())
    picture.unlink()
    with pytest.raises(ConfigError, match=f"{picture.name}: is missing"):
        write_sheet(tmp_path)


def test_classes_reasons_and_each_rater_are_told_apart(folder, tmp_path):
    sheet_of(folder)
    told = {row["number"]: row for row in read_rows(folder / PLANTED)}
    good = next(n for n, row in told.items() if not row["planted"])
    careful = "".join(f"{n},{'no' if row['planted'] else 'yes'},\n" for n, row in told.items())
    blind_to_keys = "".join(
        f"{n};{'No' if n == good or row['planted'] not in (None, 'wrong key') else 'YES'};two, or so\n"
        for n, row in told.items()
    )
    found = import_ratings(folder, [rated(tmp_path / "a.csv", "number,accept,reason\n" + careful),
                                    rated(tmp_path / "b.csv", "Number;Accept;reason\n" + blind_to_keys)])  # fmt: skip
    assert found["caught_by_class"]["wrong key"]["value"] == 0.5 and found["caught_by_class"]["echo"]["value"] == 1
    assert [one["caught"]["value"] for one in found["by_rater"]] == [1.0, 0.5]
    assert found["reasons"] == {told[good]["id"]: ["two, or so"]} and found["rejected"] == []
    assert found["accepted"]["value"] == pytest.approx(63 / 64) and found["accepted"]["items"] == 32
    assert json.loads((folder / "review" / "result.json").read_text()) == found


def test_a_line_is_counted_where_cells_have_several(folder, tmp_path):
    sheet_of(folder)
    text = 'number,context,accept\n1,"one\ntwo\nthree",yes\n2,,perhaps\n2,,no\n2,,no\n'
    with pytest.raises(ConfigError) as refused:
        import_ratings(folder, [rated(tmp_path / "r.csv", text)])
    assert [str(f).rpartition("/")[2] for f in refused.value.faults] == [
        "r.csv:5: accept: should be yes, no or empty, is 'perhaps'", "r.csv:7: number: 2 is rated twice",
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("", "r.csv:1: number: there is no such column"),
        ("number,reason\n1,x\n", "r.csv:1: accept: there is no such column"),
        ("number,accept\n99,yes\n", "r.csv:2: number: should be a number of the sheet, is '99'"),
        ("number,accept\n1,\n", "r.csv: accept: nothing is rated"),
        ("number,accept\n1,yes,a, b\n", "r.csv:2: has 4 cells, the first line 2; quote a cell that holds ','"),
        ('number,accept\n1,"yes\n', "r.csv:2: cannot be read as CSV"),
        ("number,accept,Accept\n1,yes,no\n", "r.csv:1: accept: there are 2 such columns"),
        ("number,question,accept\n1,What else?,yes\n", "r.csv:2: question: is not the one of number 1"),
    ],
)
def test_a_wrong_sheet_is_refused_by_line_and_column(folder, tmp_path, text, words):
    sheet_of(folder)
    with pytest.raises(ConfigError) as refused:
        import_ratings(folder, [rated(tmp_path / "r.csv", text)])
    assert words in str(refused.value)


def test_one_file_does_not_count_for_two_raters(folder, tmp_path):
    sheet_of(folder)
    one = rated(tmp_path / "r.csv", "number,accept\n1,yes\n")
    with pytest.raises(InputError, match="stands there twice"):
        import_ratings(folder, [one, one])


def test_a_link_that_leads_to_itself_is_no_sheet(folder, tmp_path):
    sheet_of(folder)
    (tmp_path / "loop.csv").symlink_to("loop.csv")
    with pytest.raises(ConfigError, match=r"loop.csv: cannot be read: Too many levels of symbolic links"):
        import_ratings(folder, [tmp_path / "loop.csv"])


def test_a_record_with_one_number_twice_or_with_none_is_refused(tmp_path):
    built(tmp_path, {"arithmetic.prime": 10})
    sheet_of(tmp_path)
    one = rated(tmp_path / "r.csv", "number,accept\n1,yes\n")
    rows = read_rows(tmp_path / PLANTED)
    for wrong, words in (([*rows, rows[0]], "planted.jsonl:11: number: 1 stands there twice"), ([], "holds no item")):
        write_rows(tmp_path / PLANTED, wrong)
        with pytest.raises(ConfigError, match=words):
            import_ratings(tmp_path, [one])
    write_rows(tmp_path / PRIVILEGED, [])
    with pytest.raises(ConfigError, match=r"privileged.jsonl: holds no item"):
        write_sheet(tmp_path)


@pytest.mark.parametrize("name", ["sheet.csv", "anna.csv"])
def test_what_raters_left_in_their_folder_is_not_written_over(tmp_path, name):
    built(tmp_path, {"arithmetic.prime": 10})
    sheet_of(tmp_path)
    given = tmp_path / "review" / "for_raters"
    write_rows(tmp_path / PRIVILEGED, read_rows(tmp_path / PRIVILEGED)[:5])
    assert len(sheet_of(tmp_path)) == 5  # nothing was handed in
    rated(given / name, (given / "sheet.csv").read_text().replace(",,\n", ",yes,\n", 1))
    kept, planted = (given / name).read_text(), (tmp_path / PLANTED).read_text()
    with pytest.raises(RefusedError, match=rf"{name}.* would be lost; move"):
        write_sheet(tmp_path)
    assert (given / name).read_text() == kept and (tmp_path / PLANTED).read_text() == planted
    assert import_ratings(tmp_path, [given / name])["rated"] == 1


@pytest.mark.parametrize(
    "words",
    [("review", "one"), ("consistency", "one", "two"), ("consistency", "two", "one"), ("publish", "one"),
     ("evolve", "one", "--out", "three")],
)  # fmt: skip
def test_a_construction_under_way_is_not_read(tmp_path, monkeypatch, words):
    monkeypatch.chdir(tmp_path)
    with working_in(Path("one")):
        result = CliRunner().invoke(app, words)
    assert isinstance(result.exception, RefusedError)
    assert str(result.exception) == "one: a construction works in this folder; wait until it has ended"


def test_a_cell_larger_than_the_reader_takes_by_itself_is_read(tmp_path):
    built(tmp_path, {"arithmetic.prime": 1})
    (row,) = read_rows(tmp_path / PRIVILEGED)
    write_rows(tmp_path / PRIVILEGED, [{**row, "input": {**row["input"], "context": "It rains.\n" * 20_000}}])
    sheet = write_sheet(tmp_path).path
    filled = rated(tmp_path / "r.csv", sheet.read_text().removesuffix(",,\n") + ",yes,\n")
    assert import_ratings(tmp_path, [filled])["rated"] == 1
    assert len(write_sheet(tmp_path).path.read_text()) > 200_000


def test_the_whole_sheet_filled_in_is_read_and_an_older_record_of_what_was_planted_too(folder, tmp_path):
    rows = sheet_of(folder)
    with (tmp_path / "r.csv").open("w") as file:
        writer = csv.DictWriter(file, rows[0])
        writer.writeheader()
        writer.writerows({**row, "accept": "yes"} for row in rows)
    assert import_ratings(folder, [tmp_path / "r.csv"])["rated"] == 40
    older = [
        {"number": r["number"], "id": r["id"], "planted": bool(r["planted"])} for r in read_rows(folder / PLANTED)
    ]
    write_rows(folder / PLANTED, older)
    assert import_ratings(folder, [tmp_path / "r.csv"])["caught_by_class"]["wrong key"]["items"] == 8


def test_an_interval_over_units_is_wilsons():
    for events, trials in ((0, 8), (3, 8), (39, 40), (40, 40)):
        assert wilson_interval_of_units(events / trials, trials) == pytest.approx(wilson_interval(events, trials))
