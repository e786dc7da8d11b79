"""An agent measures itself on every machine that trials run on, whatever layers of confinement that machine offers."""

from __future__ import annotations

import contextlib
import json
import os
import socket
import subprocess
import sys
import threading
from pathlib import Path

import pytest
from tests.security.test_lesser_machines import MACHINES, machine

ROOT = Path(__file__).resolve().parents[2]
PLAYED = """
import json, sys
from pathlib import Path
from auto_benchmark.agents.brief import Brief, BudgetLeft
from auto_benchmark.agents.command import CommandAgent
from auto_benchmark.agents.measure import Measured

folder = Path(sys.argv[1])
budget = BudgetLeft(1, 60.0, None, 2)
brief = Brief("t", "i", "m", True, ("main.py",), budget, (), {})
turn = CommandAgent.at(str(folder / "agent.py")).attempt(
    folder / "workspace", brief, lambda place: Measured(True, float((place / "main.py").read_text()), "")
)
print(json.dumps([str(turn.outcome), turn.reason, [c.measured.score for c in turn.measures], turn.log]))
"""
AGENT = """#!/usr/bin/env python3
import os, pathlib, subprocess
pathlib.Path('main.py').write_text('2')
print(subprocess.run([os.environ['AB_MEASURE']], capture_output=True, text=True).stdout)
pathlib.Path('main.py').write_text('3')
subprocess.run([os.environ['AB_MEASURE'], '.'], capture_output=True, check=True)
"""


@pytest.mark.timeout(90)
@pytest.mark.parametrize(("user", "lacks"), MACHINES[::3])
def test_an_agent_measures_wherever_trials_run(open_directory: Path, tmp_path_factory, user, lacks) -> None:
    folder = open_directory / f"agent-{abs(hash((user, lacks)))}"
    (folder / "workspace").mkdir(parents=True)
    (folder / "workspace" / "main.py").write_text("1")
    (folder / "agent.py").write_text(AGENT)
    (folder / "agent.py").chmod(0o755)
    words = [*machine(user, lacks, own=[folder]), sys.executable, "-c", PLAYED, str(folder)]
    environment = {**os.environ, "PYTHONPATH": str(ROOT / "include")}
    done = subprocess.run(words, capture_output=True, text=True, check=False, timeout=60, env=environment)
    assert done.returncode == 0, done.stderr
    outcome, reason, scores, log = json.loads(done.stdout)
    assert (outcome, reason, scores) == ("evaluate", "", [2.0, 3.0]), log
    assert (folder / "workspace" / "main.py").read_text() == "3"


NETWORKED = """
import json, sys
from dataclasses import replace
from pathlib import Path
from auto_benchmark.agents.brief import Brief, BudgetLeft
from auto_benchmark.agents.command import CommandAgent

folder = Path(sys.argv[1])
brief = Brief("t", "i", "m", True, ("main.py",), BudgetLeft(1, 60.0, None, 0), (), {})
told = []
for network in (False, True):
    agent = replace(CommandAgent.at(str(folder / "agent.py")), network=network)
    turn = agent.attempt(folder / "workspace", brief, None)
    told.append([turn.log.split(), turn.reason, "as its operator has declared" in str(agent.isolation)])
print(json.dumps(told))
"""
CALLS = """#!/usr/bin/env python3
import os, socket, sys
try:
    with socket.create_connection(("localhost", {port}), timeout=5) as there:
        print("reached", there.recv(9).decode())
except OSError:
    print("nowhere")
for name in ({path!r}, chr(0) + {name!r}):
    try:
        socket.socket(socket.AF_UNIX).connect(name)
        print("service")
    except OSError:
        print("no")
"""


def _answer_all(server: socket.socket) -> None:
    """Until the server is closed: where nothing holds an agent back, it comes twice."""
    with contextlib.suppress(OSError):
        while True:
            with server.accept()[0] as there:
                there.sendall(b"the")


@pytest.mark.timeout(90)
@pytest.mark.parametrize(("user", "lacks"), MACHINES[::3])
def test_an_agent_has_the_network_where_its_operator_says_so_and_no_socket_of_a_service(
    open_directory: Path, user, lacks
) -> None:
    folder = open_directory / f"network-{abs(hash((user, lacks)))}"
    (folder / "workspace").mkdir(parents=True)
    (folder / "workspace" / "main.py").write_text("1")
    path, name = str(folder / "service"), f"service-{folder.name}"
    with socket.create_server(("127.0.0.1", 0)) as server, socket.socket(socket.AF_UNIX) as service:
        service.bind(path)
        Path(path).chmod(0o777)
        service.listen()
        (folder / "agent.py").write_text(CALLS.format(port=server.getsockname()[1], path=path, name=name))
        (folder / "agent.py").chmod(0o755)
        threading.Thread(target=_answer_all, args=(server,), daemon=True).start()
        words = [*machine(user, lacks, own=[folder]), sys.executable, "-c", NETWORKED, str(folder)]
        environment = {**os.environ, "PYTHONPATH": str(ROOT / "include")}
        done = subprocess.run(words, capture_output=True, text=True, check=False, timeout=60, env=environment)
    assert done.returncode == 0, done.stderr
    without, with_it = json.loads(done.stdout)
    if not {"namespaces", "seccomp"} <= set(lacks):  # which lets everything out, and says so
        assert without == [["nowhere", "no", "no"], "", False]
        assert with_it == [["reached", "the", "no", "no"], "", True]
    assert with_it[0][0] == "reached"
