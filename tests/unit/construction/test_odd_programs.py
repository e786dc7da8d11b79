"""A program of a panel that hangs, dies or says nonsense is wrong where it did so, and stops and confuses nothing else."""

import sys

import pytest

from auto_benchmark.construction import patience
from auto_benchmark.construction.answering import put
from auto_benchmark.construction.candidates import program
from auto_benchmark.construction.candidates.planted import Planted
from auto_benchmark.construction.candidates.program import ProgramProcess
from auto_benchmark.construction.patience import Patience
from auto_benchmark.construction.source import Description, sources_by_name
from auto_benchmark.construction.sources import SOURCES
from auto_benchmark.construction.stages import read_rows, write_rows

WORKER = """#!{python}
import json, os, pathlib, subprocess, sys, time
place = pathlib.Path({place!r})
odd = (place / "odd").read_text()
for line in sys.stdin:
    answers = json.dumps([item["question"] for item in json.loads(line)])
    mode, odd = odd, ""
    (place / "odd").write_text("")
    if mode == "hangs":
        time.sleep(60)
    elif mode == "hangs with a child":
        subprocess.run(["sleep", "60"])
    elif mode == "says nothing and dies":
        sys.exit(3)
    elif mode == "answers and dies":
        print(answers, flush=True)
        sys.exit(3)
    elif mode == "answers twice":
        print(answers + chr(10) + answers, flush=True)
    elif mode == "floods":
        while True:
            sys.stdout.write("x" * 4096)
    elif mode:
        sys.stdout.buffer.write(mode.encode("latin-1") + b"\\n")
        sys.stdout.flush()
    else:
        print(answers, flush=True)
"""
ITEMS = sources_by_name(SOURCES)["arithmetic"].generate(
    Description("arithmetic", "expression", {"operations": 2, "digits": 1, "brackets": "none"}), 12, 5
)
ONE, OTHER = ITEMS[:4], ITEMS[4:10]


@pytest.fixture
def odd(tmp_path, monkeypatch):
    """Makes a program whose process is odd at its first question, and echoes questions from then on."""
    monkeypatch.setattr(program, "ENVIRONMENTS", tmp_path)
    monkeypatch.setattr(program, "LIMIT_S", 1.5)
    monkeypatch.setattr(program, "LONGEST_REPLY", 100_000)
    python = tmp_path / "odd_panel" / "bin" / "python"
    python.parent.mkdir(parents=True)
    python.write_text(WORKER.format(python=sys.executable, place=str(tmp_path)))
    python.chmod(0o755)

    def make(mode: str) -> ProgramProcess:
        (tmp_path / "odd").write_text(mode)
        return ProgramProcess("odd", "odd_panel", "odd", "1", frozenset())

    yield make
    program._end("odd")


@pytest.mark.parametrize(
    ("mode", "words"),
    [
        ("hangs", "gave no answer within 1.5 s"),
        ("hangs with a child", "gave no answer within 1.5 s"),
        ("says nothing and dies", "ended without an answer"),
        ("floods", "is no list of answers"),
        ("Hello, this is version 3", "is no list of answers"),
        ('{"a": 1, "b": 2, "c": 3, "d": 4}', "is no list of answers"),
        ('"four"', "is no list of answers"),
        ("[" * 50_000, "is no list of answers"),
        ('["\xff\xfe"]', "is no list of answers"),
        ('["one"]', "1 answers to 4 items"),
    ],
)  # fmt: skip
def test_it_is_wrong_once_and_asked_again(odd, mode, words):
    candidate, planted = odd(mode), Planted("sure", skill=1.0)
    sheet = put([candidate, planted], ONE, [])
    assert words in sheet.failed["odd"] and set(sheet.given["odd"].values()) == {None}
    assert sheet.failed.keys() == {"odd"} and all(sheet.right["sure"].values())
    again = put([candidate], OTHER, [])
    assert again.failed == {} and again.given["odd"] == {item.id: item.asked.question for item in OTHER}


@pytest.mark.parametrize("mode", ["answers twice", "answers and dies"])
def test_what_it_says_or_does_after_an_answer_is_not_taken_for_the_next(odd, mode):
    candidate = odd(mode)
    for items in (ONE, list(reversed(ONE))):
        sheet = put([candidate], items, [])
        assert sheet.failed == {} and sheet.given["odd"] == {item.id: item.asked.question for item in items}


def test_odd_answers_can_be_stored(odd, tmp_path):
    candidate = odd(r'["\ud800", [1, {"a": "\udfff"}], NaN, true]')
    sheet = put([candidate], ONE, [])
    assert sheet.failed == {} and not any(sheet.right["odd"].values())
    write_rows(tmp_path / "rows.jsonl", sheet.rows())
    assert [row["given"] for row in read_rows(tmp_path / "rows.jsonl")] == list(sheet.given["odd"].values())


def test_one_that_hangs_again_and_again_is_asked_no_more(odd, monkeypatch):
    monkeypatch.setattr(patience, "LONG_S", 1.0)
    patient = Patience()
    for expected in ("gave no answer", "gave no answer", "not asked any more"):
        assert expected in put([odd("hangs")], ONE, [], patient).failed["odd"]
    assert put([odd("")], ONE, [], Patience()).failed == {}, "another construction asks it"
