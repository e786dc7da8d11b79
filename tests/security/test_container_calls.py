"""System calls in a trial's container: nothing that the engine itself refuses, and all that honest programs need."""

from __future__ import annotations

import json
import os
from dataclasses import replace

import pytest

from auto_benchmark.contract.trial import BenchmarkRef, TrialConfig
from auto_benchmark.registry.solution import Resources
from auto_benchmark.runners.container import container_spec
from auto_benchmark.runners.docker import DockerRunner, host_limits
from auto_benchmark.runners.docker_engine import Offers
from auto_benchmark.runners.runner import TrialRequest

REFUSED = {1, 38}
"""EPERM and ENOSYS."""
NEWEST = 450
"""The last call that engines of the year 2022 know; whatever came later they refuse whole."""
TRIES_ALL = """
import ctypes, json, os, select
libc, found = ctypes.CDLL(None, use_errno=True), {}
for number in {*range(NEWEST + 1)} - {15, 56, 57, 58}:  # neither a return from a signal nor forks
    reading, writing = os.pipe()
    child = os.fork()
    if child == 0:
        ctypes.set_errno(0)
        libc.syscall(ctypes.c_long(number), *[ctypes.c_long(-1)] * 6)
        os.write(writing, b"%d" % ctypes.get_errno())
        os._exit(0)
    os.close(writing)
    if select.select([reading], [], [], 0.2)[0]:
        found[number] = int(os.read(reading, 9) or 0)
    os.kill(child, 9)
    os.waitpid(child, 0)
    os.close(reading)
print(json.dumps(found))
"""
HONEST = """
import asyncio, fcntl, multiprocessing, socket, sqlite3, subprocess, threading
from multiprocessing import shared_memory
def double(number): return 2 * number
def tried():
    with multiprocessing.Manager() as manager:
        assert manager.list([1])[0] == 1
    for way in ("fork", "spawn", "forkserver"):
        with multiprocessing.get_context(way).Pool(2) as pool:
            assert pool.map(double, range(3)) == [0, 2, 4]
    memory = shared_memory.SharedMemory(create=True, size=2**20); memory.close(); memory.unlink()
    with sqlite3.connect("/tmp/notes.db") as notes:
        notes.execute("CREATE TABLE note (text TEXT)")
    for lock in (fcntl.flock, fcntl.lockf):
        lock(open("/tmp/lock", "w"), fcntl.LOCK_EX)
    async def subprocesses(): assert await (await asyncio.create_subprocess_exec("true")).wait() == 0
    asyncio.run(subprocesses())
    subprocess.run(["true"], check=True)
    a, b = socket.socketpair(); a.send(b"x"); assert b.recv(1) == b"x"
if __name__ == "__main__":
    tried()
"""

INTO_THE_FIRST = """
import os, resource, signal
ways = {
    "memory": lambda: open("/proc/1/mem", "r+b"),
    "files": lambda: os.listdir("/proc/1/fd"),
    "limits": lambda: resource.prlimit(1, resource.RLIMIT_NOFILE, (3, 3)),
}
got = []
for name, way in ways.items():
    try:
        way()
        got.append(name)
    except PermissionError:
        pass
os.kill(1, signal.SIGKILL)
os.kill(1, signal.SIGSTOP)
assert not got, got
"""


@pytest.mark.docker
@pytest.mark.timeout(120)
def test_nothing_is_allowed_that_the_engine_itself_refuses(docker_client, base_image, tmp_path):
    code = f"NEWEST = {NEWEST}\n{TRIES_ALL}"
    spec = container_spec(a_request([], base_image, tmp_path))
    found = []
    for offered in (Offers(False, False), Offers(True, False)):
        host_config = docker_client.api.create_host_config(**host_limits(spec, offered))
        made = docker_client.api.create_container(base_image, ["python", "-c", code], host_config=host_config)
        try:
            docker_client.api.start(made["Id"])
            assert docker_client.api.wait(made["Id"])["StatusCode"] == 0, docker_client.api.logs(made["Id"])
            found.append(json.loads(docker_client.api.logs(made["Id"]).splitlines()[-1]))
        finally:
            docker_client.api.remove_container(made["Id"], force=True)
    engines, ours = found
    assert len(engines) > 400
    allowed = {number for number, code in engines.items() if code in REFUSED and ours.get(number) not in REFUSED}
    assert allowed == set()
    assert len({number for number, code in ours.items() if code in REFUSED}) > 80


@pytest.mark.docker
@pytest.mark.timeout(60)
def test_what_honest_programs_need_works(contract_image, tmp_path):
    ended_well(a_request(["python", "/ab/data/work.py"], contract_image, tmp_path, {"work.py": HONEST}))


@pytest.mark.docker
@pytest.mark.timeout(60)
def test_the_first_process_which_counts_locks_cannot_be_changed_from_inside(contract_image, tmp_path):
    ended_well(a_request(["python", "-c", INTO_THE_FIRST], contract_image, tmp_path))


def ended_well(request):
    result = DockerRunner().run(request)
    assert result.exit_code == 0, (request.output_dir / "train.log").read_text()


def a_request(command, image, folder, files=None):
    data, out = (folder / name for name in ("data", "out"))
    data.mkdir(mode=0o755)
    out.mkdir()
    for name, text in (files or {}).items():
        (data / name).write_text(text)
    config = TrialConfig(params={}, seed=1, budget_s=30, benchmark=BenchmarkRef(name="b", version="1"))
    return TrialRequest(
        f"t-{os.getpid()}-{folder.name}", command, image, folder, config, data, out,
        resources=Resources(memory_mb=512, pids=64),
    )  # fmt: skip


@pytest.mark.parametrize(
    ("gpus", "counts", "families"), [(0, False, {1}), (0, True, {1, 2, 10}), (1, False, {1, 2, 10, 16})]
)
def test_a_trial_has_the_sockets_whose_memory_counts(tmp_path, gpus, counts, families):
    spec = replace(container_spec(a_request([], "i", tmp_path)), gpus=gpus)
    limits = host_limits(spec, Offers(filters_calls=True, counts_sockets=counts))
    rules = json.loads(limits["security_opt"][1].removeprefix("seccomp="))["syscalls"]
    made = [rule["args"] for rule in rules if rule["names"] == ["socket"]]
    assert {args[0]["value"] for args in made} == families
    wanted = {1: [0], 16: [0, 2], 2: [0, 1, 2], 10: [0, 1, 2]}
    assert all([one["index"] for one in args] == wanted[args[0]["value"]] for args in made), (
        "of the kernel named protocols alone, of internet named kinds, too: a sequence without a protocol is SCTP"
    )
    assert "socket" not in rules[0]["names"] and not {"ptrace", "io_uring_setup", "bpf"} & set(rules[0]["names"])
