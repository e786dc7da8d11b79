"""``loop run`` twice at once on one home, and killed during trials or during the gate: nothing twice, nothing lost."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager

import pytest
from sqlalchemy import text
from tests.e2e.loop_invariants import NO_DUPLICATES
from tests.toy_project import environment

UNFINISHED = "select id, state from trials where state in ('planned', 'running')"
LIMIT_S = 240
"""Of one loop, on a machine that is busy with other things."""
TRIAL_S = 0.3
pytestmark = pytest.mark.timeout(3 * LIMIT_S)


@contextmanager
def loop(toy) -> Iterator[subprocess.Popen[str]]:
    """A ``loop run`` of the toy project as a process of its own."""
    command = [sys.executable, "-m", "auto_benchmark", "loop", "run"]
    more = environment(toy.ctx.settings, db_url=toy.url)
    variables = {**os.environ, "PYTHONPATH": "include", **more}
    with subprocess.Popen(
        command, env=variables, text=True, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, start_new_session=True
    ) as process:
        try:
            yield process
        finally:
            process.kill()


def told(process: subprocess.Popen[str]) -> str:
    """What it said, after it has ended well."""
    said, _ = process.communicate(timeout=LIMIT_S)
    assert process.returncode == 0, said[-3000:]
    assert "Traceback" not in said, said[-3000:]
    return said


def rows(toy, query: str) -> list[tuple]:
    with toy.ctx.sessions() as session:
        session.execute(text("set search_path to auto_benchmark"))
        return [tuple(row) for row in session.execute(text(query))]


def assert_whole(toy) -> None:
    """Nothing twice, nothing unfinished, and one experiment at least came to its end."""
    for name, query in {**NO_DUPLICATES, "unfinished trials": UNFINISHED}.items():
        assert rows(toy, query) == [], name
    assert rows(toy, "select 1 from experiments where outcome is not null")


@pytest.fixture
def slow(toy):
    """The toy project with trials that take long enough to be met while they run."""
    toy.files.train_also(f"import time\ntime.sleep({TRIAL_S})\n")
    return toy


def test_two_loops_at_once_share_the_work(slow):
    with loop(slow) as one, loop(slow) as other:
        told(one)
        told(other)
    assert_whole(slow)


@pytest.mark.parametrize("stage", ["search", "gate"])
def test_a_loop_that_is_killed_goes_on_where_it_was(slow, stage):
    purposes = {"search": "('search')", "gate": "('candidate')"}[stage]
    running = f"select 1 from trials where state = 'running' and purpose in {purposes}"
    with loop(slow) as process:
        deadline = time.monotonic() + LIMIT_S
        while not rows(slow, running):
            assert process.poll() is None and time.monotonic() < deadline
            time.sleep(0.02)
        os.kill(process.pid, signal.SIGKILL)
    before = rows(slow, "select id from trials where state = 'done'")
    assert rows(slow, UNFINISHED)
    with loop(slow) as again:
        told(again)
    assert_whole(slow)
    assert set(before) <= set(rows(slow, "select id from trials where state = 'done'"))
