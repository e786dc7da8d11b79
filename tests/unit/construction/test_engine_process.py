"""A chess engine ends with the worker that started it, also where it ignores the end of its input."""

import signal
import subprocess
import sys
from pathlib import Path

import psutil
from tests.waiting import ended, eventually

from auto_benchmark.construction.candidates.elsewhere import graded_skill

ENGINE = """
import os, sys, time
print("pid", os.getpid(), flush=True)
for line in sys.stdin:
    print({"uci": "uciok", "isready": "readyok"}.get(line.strip(), "info"), flush=True)
time.sleep(600)
"""
WORKER = """
import sys
sys.path.insert(0, {folder!r})
import graded_skill
graded_skill.COMMANDS["odd"] = [sys.executable, "-c", {engine!r}]
engine = graded_skill.Engine("odd", "nodes 1")
print(engine._process.pid, flush=True)
sys.stdin.read()
"""


def test_an_engine_ends_with_a_killed_worker():
    folder = str(Path(graded_skill.__file__).parent)
    worker = subprocess.Popen([sys.executable, "-c", WORKER.format(folder=folder, engine=ENGINE)],
                              stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)  # fmt: skip
    engine = psutil.Process(int(worker.stdout.readline()))
    assert not ended(engine)
    worker.send_signal(signal.SIGKILL)
    worker.wait(10)
    eventually(lambda: ended(engine), "the engine's end", 10)
