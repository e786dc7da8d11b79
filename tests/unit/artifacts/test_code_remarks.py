"""What changed code looks at besides its data is named for a person, with file and line; nothing is refused."""

from __future__ import annotations

import time
from pathlib import Path

import pytest

from auto_benchmark.artifacts.code_remarks import LARGEST, MOST, remarks


def said(folder: Path, before: str, after: str, name: str = "train.py") -> list[str]:
    places = [folder / "before", folder / "after"]
    for place, text in zip(places, (before, after), strict=True):
        place.mkdir()
        (place / name).write_text(text)
    return remarks(*places)


@pytest.mark.parametrize(
    ("code", "remark"),
    [
        ("import time\nif time.time() < 4e9: pass", "train.py:2: looks at the clock: time.time"),
        ("from time import time as seed\nseed()", "train.py:2: looks at the clock: time.time"),
        ("import datetime as d\nd.datetime.now()", "train.py:2: looks at the clock: datetime.datetime.now"),
        ("from datetime import date\ndate.today()", "train.py:2: looks at the clock: datetime.date.today"),
        ("import os\nos.environ.get('HOST')", "train.py:2: looks at the machine or its user: os.environ"),
        ("import os\nos.environ[name()]", "train.py:2: looks at the machine or its user: os.environ"),
        ("import socket\nsocket.gethostname()", "train.py:2: looks at the machine or its user: socket.gethostname"),
        ("from urllib.request import urlopen\nurlopen('x')", "train.py:2: looks at a network: urllib.request"),
        ("import os\nos.getpid()", "train.py:2: looks at processes: os.getpid"),
        ("import subprocess\nsubprocess.run([])", "train.py:2: looks at processes: subprocess.run"),
        ("open('/etc/hostname')", "train.py:1: names a file elsewhere: '/etc/hostname'"),
        ("open('data/../../sealed')", "train.py:1: names a file elsewhere: 'data/../../sealed'"),
        ("__import__('ti' + 'me')", "train.py:1: looks at code from text: __import__"),
        ("exec(open('weights').read())", "train.py:1: looks at code from text: exec"),
        ("from os import *", "train.py:1: imports names that are not listed"),
        ("def f(:", "train.py: cannot be read as Python"),
        ("(" * 10_000, "train.py: cannot be read as Python"),
    ],
)
def test_what_may_tell_a_trial_from_the_day_after_is_named(tmp_path, code, remark):
    assert said(tmp_path, "x = 1\n", code) == [remark]


@pytest.mark.parametrize(
    "code",
    [
        "import os\nout = os.environ['AB_OUTPUT_DIR']",
        "import json, math, random\nrandom.Random(1).random()\nmath.exp(1)",
        "def f(time, socket):\n    return time.time + socket\n",
        "half = 'and/or'\ntext = 'a / b'",
        "class A:\n    def time(self): return self.time",
    ],
)
def test_what_every_trial_does_is_not(tmp_path, code):
    assert said(tmp_path, "x = 1\n", code) == []


def test_only_what_is_new_counts(tmp_path):
    old = "import time\nbegan = time.perf_counter()\n"
    assert said(tmp_path, old, f"# moved down\n\n{old}took = time.perf_counter() - began\n") == [
        "train.py:5: looks at the clock: time.perf_counter"
    ]


def test_programs_that_are_no_python_are_named_and_documents_are_not(tmp_path):
    assert said(tmp_path, "", "true", "run.sh") == ["run.sh: is no Python, and is not looked through"]
    (tmp_path / "after" / "notes.md").write_text("time.time()")
    assert len(remarks(tmp_path / "before", tmp_path / "after")) == 1


def test_many_remarks_are_bounded_and_large_files_are_not_read(tmp_path):
    many = "import os\n" + "os.getpid()\n" * 1000
    found = said(tmp_path, "", many)
    assert len(found) == MOST + 1 and found[-1] == f"and {1000 - MOST} more"
    (tmp_path / "after" / "train.py").write_text("x = 1\n" * LARGEST)
    assert remarks(tmp_path / "before", tmp_path / "after") == ["train.py: is too long to be looked through"]


def test_the_largest_file_takes_no_minute(tmp_path):
    line = "a.b.c.d.e.f.time.os[0](os)\n"
    began = time.monotonic()
    said(tmp_path, "", "import os\n" + line * ((LARGEST - 100) // len(line)))
    assert time.monotonic() - began < 60
