"""What a trial says while it runs costs its worker bounded memory, whatever it says and however it says it."""

from __future__ import annotations

import json
import os
import tracemalloc

import pytest

from auto_benchmark.experiments.search import pruning
from auto_benchmark.experiments.trials.live_tracking import MOST_VALUES, Curve
from auto_benchmark.runners.progress import LONGEST_LINE, MOST_METRICS_IN_LINE, ProgressLines, hand_on, parse_progress
from auto_benchmark.runners.runner import ProgressLine

MIB = 2**20


def line(step, count):
    return b"AB_PROGRESS " + json.dumps({"step": step, "metrics": {f"m{n}": 1.0 for n in range(count)}}).encode()


@pytest.fixture
def memory():
    """Most memory that Python has held since the test began, MiB."""
    tracemalloc.start()
    yield lambda: tracemalloc.get_traced_memory()[1] / MIB
    tracemalloc.stop()


def test_a_line_of_too_many_metrics_or_of_any_length_is_no_progress():
    assert len(parse_progress(line(1, MOST_METRICS_IN_LINE)).metrics) == MOST_METRICS_IN_LINE
    assert parse_progress(line(1, MOST_METRICS_IN_LINE + 1)) is None
    assert parse_progress(b'AB_PROGRESS {"step": 1, "metrics": {"m": 1.0}}' + b" " * LONGEST_LINE) is None


def test_a_line_that_never_ends_is_not_kept(memory):
    seen, rest = [], b""
    for _ in range(500):
        rest = hand_on(rest + b"x" * 65_536, seen.append)
    assert len(rest) <= LONGEST_LINE + 1 and memory() < 2
    rest = hand_on(rest + b"\n" + line(3, 1) + b"\n", seen.append)
    assert [p.step for p in seen] == [3] and rest == b""


def test_endless_progress_makes_no_endless_curve():
    curve = Curve()
    for step in range(20_000):
        curve(ProgressLine(step, dict.fromkeys(range(MOST_METRICS_IN_LINE), 1.0)))
    assert sum(len(point.metrics) for point in curve.points) <= MOST_VALUES
    assert len(curve.points) > MOST_VALUES / MOST_METRICS_IN_LINE / 4
    assert curve.points[0].step == 0 and curve.points[-1].step > 15_000


def test_what_is_remembered_of_long_lines_is_short(memory):
    lines = ProgressLines(lambda _: None)
    for step in range(300):
        lines.take(line(step, 100) + b" " * 60_000)
    assert memory() < 3 and len(lines._handed) == 300


def test_a_curve_in_a_file_is_read_up_to_a_bound(tmp_path, monkeypatch):
    file = tmp_path / "progress.jsonl"
    rows = [json.dumps({"step": step, "metrics": {"loss": 1.0}}) for step in range(3)]
    file.write_text("\n".join([*rows, json.dumps({"step": 3, "metrics": {"loss": 1.0, "x": "y" * 70_000}})]))
    assert pruning._curve(file, "loss") == {0: 1.0, 1: 1.0, 2: 1.0}
    monkeypatch.setattr(pruning, "LARGEST_CURVE_BYTES", file.stat().st_size - 1)
    assert pruning._curve(file, "loss") == {}
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    link = tmp_path / "link"
    link.symlink_to(file)
    assert pruning._curve(pipe, "loss") == pruning._curve(link, "loss") == {}
