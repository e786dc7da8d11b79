"""What the launcher says about services that died or stop."""

import os
import subprocess
import sys

import pytest
from tests.waiting import ended, eventually

from auto_benchmark.db import postgres_programs
from auto_benchmark.settings import Settings
from auto_benchmark.stack.launcher import Launcher
from auto_benchmark.stack.services import Service

PARENT = """
import subprocess, sys, time
for _ in range(int(sys.argv[1])):
    subprocess.Popen([sys.executable, "-c", "import time; time.sleep(600)"])
print("started", flush=True)
time.sleep(600)
"""


@pytest.fixture
def launcher(tmp_path):
    said = []
    made = Launcher(Settings(home=tmp_path / "home"), said.append)
    made.layout.create()
    made.said = said
    yield made
    made.processes.stop(made.processes.names(), timeout_s=0.2)


def start(launcher, service, children):
    """A process in the place of a service, once it has as many children."""
    log = launcher.layout.log(service)
    command = [sys.executable, "-c", PARENT, str(children)]
    process = launcher.processes.start(
        service, command, environment=dict(os.environ), log=log, cwd=launcher.layout.root
    )
    eventually(lambda: "started" in log.read_text())
    return process


@pytest.mark.parametrize(("children", "told"), [(1, "clearing 1 process that"), (2, "clearing 2 processes that")])
def test_what_a_dead_service_left_behind_is_counted_and_cleared(launcher, children, told):
    leader = start(launcher, Service.TRIGGERER, children)
    orphans = leader.children()
    assert len(orphans) == children
    leader.kill()
    leader.wait()
    launcher._clear_leftovers([Service.SCHEDULER, Service.TRIGGERER])
    assert [line.split("  ")[-1] for line in launcher.said] == [f"{told} a dead triggerer left behind"]
    eventually(lambda: all(map(ended, orphans)), "the end of the orphans")


@pytest.mark.parametrize(("services", "told"), [
    ([Service.MLFLOW], "stopped 1 service"), ([Service.ARENA, Service.MLFLOW], "stopped 2 services"),
])  # fmt: skip
def test_stopped_services_are_counted(launcher, services, told):
    for service in services:
        start(launcher, service, 0)
    launcher.down()
    assert launcher.said[-1].endswith(told)


def test_the_database_of_a_killed_command_is_stopped(open_directory):
    """`loop run` starts one for itself; killed, it leaves it running, and there is no stack to stop."""
    home, said = open_directory / "killed-command", []
    program = "import sys, time; from pathlib import Path; from auto_benchmark.db.embedded import *"
    program += "; EmbeddedPostgres(Path(sys.argv[1])).start(); print('started', flush=True); time.sleep(600)"
    with subprocess.Popen([sys.executable, "-c", program, str(home)], stdout=subprocess.PIPE, text=True) as command:
        assert command.stdout.readline() == "started\n"
        pid = int((home / "postgres" / "data" / "postmaster.pid").read_text().splitlines()[0])
        command.kill()
    Launcher(Settings(home=home), said.append).down()
    assert said == ["stopped the database of a killed command"]
    assert not postgres_programs.is_server(pid, home / "postgres" / "data")
    Launcher(Settings(home=home), said.append).down()
    assert said[1:] == ["nothing has ever been started here"]
