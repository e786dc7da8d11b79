"""Service processes: found again, stopped with everything they started, never mistaken for a stranger."""

import json
import os
import sys

import psutil
import pytest
from tests.waiting import ended, eventually

from auto_benchmark.stack.processes import Processes

FAMILY = """
import subprocess, sys, time
subprocess.Popen([sys.executable, "-c", "import time; time.sleep(600)"], start_new_session={})
time.sleep(600)
"""
STUBBORN = (
    "import signal, time; signal.signal(signal.SIGTERM, signal.SIG_IGN); print('ready', flush=True); time.sleep(600)"
)


@pytest.fixture
def processes(tmp_path):
    found = Processes(tmp_path / "processes.json")
    yield found
    found.stop(found.names(), timeout_s=0.2)


def start(processes, tmp_path, code, name="service"):
    log = tmp_path / "log"
    return processes.start(name, [sys.executable, "-c", code], environment=dict(os.environ), log=log, cwd=tmp_path)


@pytest.mark.parametrize("own_session", [False, True])
def test_stopping_takes_the_descendants_along(processes, tmp_path, own_session):
    leader = start(processes, tmp_path, FAMILY.format(own_session))
    eventually(leader.children)
    child = leader.children()[0]
    assert processes.stop(["service"]) == []
    assert ended(child)
    assert processes.names() == []


def test_what_a_killed_leader_left_behind_is_found(processes, tmp_path):
    leader = start(processes, tmp_path, FAMILY.format(False))
    eventually(leader.children)
    child = leader.children()[0]
    leader.kill()
    leader.wait()
    assert processes.running("service") is None
    assert [p.pid for p in processes.leftovers("service")] == [child.pid]
    processes.stop(["service"], timeout_s=1)
    eventually(lambda: ended(child))


def test_who_does_not_listen_is_killed_and_named(processes, tmp_path):
    start(processes, tmp_path, STUBBORN)
    eventually(lambda: "ready" in (tmp_path / "log").read_text())
    assert processes.stop(["service"], timeout_s=0.3) == ["service"]
    assert processes.running("service") is None


def test_a_recycled_process_id_is_a_stranger(tmp_path):
    record = tmp_path / "processes.json"
    record.write_text(json.dumps({"service": {"pid": os.getpid(), "started": 1.0}}))
    processes = Processes(record)
    assert processes.running("service") is None
    assert processes.leftovers("service") == []
    processes.stop(["service"])
    assert psutil.Process().is_running()


def test_a_half_written_record_is_no_record(tmp_path):
    record = tmp_path / "processes.json"
    record.write_text('{"service": {"pi')
    assert Processes(record).names() == []
