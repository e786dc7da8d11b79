"""A board, a paper and a trial's result touch few files on their way, and none is led to from two of them."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
MOST = 12


def test_a_reader_who_follows_a_thing_opens_few_files_once() -> None:
    """Counted on real runs by ``perf/files_on_the_way.py``, which says what is on the way."""
    done = subprocess.run(
        [sys.executable, "perf/files_on_the_way.py"],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=False,
        timeout=600,
    )
    assert done.returncode == 0, done.stderr[-2000:]
    ways = json.loads(done.stdout)
    assert {thing: way["visited_twice"] for thing, way in ways.items()} == {"board": {}, "paper": {}, "trial": {}}
    long = {thing: list(way["way"]) for thing, way in ways.items() if way["files"] > MOST}
    assert long == {}, "merge what only passes a thing on, or bring it into the file that uses it (docs/adr/0017)"
