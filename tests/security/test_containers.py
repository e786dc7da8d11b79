"""In a real engine's containers: nothing of a trial leaves by UDP or DNS, and an image holds the known code alone."""

from __future__ import annotations

import contextlib
import json
import os
import py_compile
import socket
import subprocess
import sys

import pytest
from tests.contract.runner_contract import GOOD
from tests.security import in_container
from tests.security.cheat_arena import DOCKERFILE
from tests.security.test_lesser_machines import NOBODY, attacked
from tests.toy_project import ToyFiles

from auto_benchmark.artifacts.fingerprint import folder_sha256
from auto_benchmark.contract.trial import BenchmarkRef, TrialConfig, TrialState
from auto_benchmark.project.configuration import load_solution
from auto_benchmark.project.images import build_image
from auto_benchmark.runners.docker import DockerRunner
from auto_benchmark.runners.runner import TrialRequest

pytestmark = [pytest.mark.docker, pytest.mark.timeout(120)]
WAITED_S = 0.3
SENDS = """
import socket
def tried(name, action):
    try:
        action()
        print("GOT", name, flush=True)
    except OSError as error:
        print("refused:", name, repr(error)[:100], flush=True)
def send(address, *, options=()):
    with socket.socket(socket.AF_INET6 if ":" in address else socket.AF_INET, socket.SOCK_DGRAM) as sender:
        for option in options:
            sender.setsockopt(socket.SOL_SOCKET, option, 1)
        sender.settimeout(1)
        sender.sendto(b"answers", (address, PORT))
for address in ADDRESSES:
    tried("udp " + address, lambda: send(address))
tried("udp to all", lambda: send("255.255.255.255", options=[socket.SO_BROADCAST]))
tried("udp to a group", lambda: send("224.0.0.1"))
tried("dns", lambda: socket.getaddrinfo("answers.example.org", 53))
tried("dns of the machine", lambda: [send(line.split()[1]) for line in open("/etc/resolv.conf") if "nameserver" in line]
      or send("192.0.2.53"))
"""


@contextlib.contextmanager
def listener():
    """A socket for datagrams on every address of the machine."""
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as udp:
        udp.bind(("", 0))
        udp.settimeout(WAITED_S)
        yield udp


def addresses() -> list[str]:
    """Those of the machine that a datagram may be sent to, tried from here."""
    found = {"127.0.0.1", socket.gethostbyname(socket.gethostname())}
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as routed, contextlib.suppress(OSError):
        routed.connect(("192.0.2.1", 9))
        found.add(routed.getsockname()[0])
    return sorted(found)


def received(udp: socket.socket) -> list[bytes]:
    """Whatever has arrived."""
    found = []
    with contextlib.suppress(TimeoutError):
        while True:
            found.append(udp.recv(100))
    return found


def test_no_datagram_and_no_name_leaves_a_trial_of_the_docker_runner(contract_image, tmp_path):
    places = [tmp_path / name for name in ("data", "out")]
    for place in places:
        place.mkdir(mode=0o777)
    (places[0] / "inputs.jsonl").write_text('{"id": "q0"}\n')
    with listener() as udp:
        port = udp.getsockname()[1]
        for address in addresses():
            udp.sendto(b"from here", (address, port))
        assert received(udp) == [b"from here"] * len(addresses()), "the listener hears nothing at all"
        code = f"{GOOD}\nPORT, ADDRESSES = {port}, {addresses()!r}\n{SENDS}"
        config = TrialConfig(params={"scale": 2}, seed=1, budget_s=30, benchmark=BenchmarkRef(name="b", version="1"))
        request = TrialRequest(
            f"t-{os.getpid()}-udp", ["python", "-c", code], contract_image, tmp_path, config, *places
        )
        result = DockerRunner().run(request)
        heard = received(udp)
    log = (places[1] / "train.log").read_text()
    assert result.state is TrialState.DONE, result
    assert heard == [], log
    assert log.count("GOT") + log.count("refused:") == len(addresses()) + 4, log
    reached = {line.removeprefix("GOT ") for line in log.splitlines() if line.startswith("GOT")}
    assert reached <= {"udp 127.0.0.1"}, "its own loopback leads nowhere; everything else has no route"


@pytest.mark.parametrize("user", [None, NOBODY], ids=["root", "user"])
def test_the_local_runner_in_a_container_lets_nothing_out_that_it_does_not_say(
    hostile, docker_client, base_image, user
):
    """Docker's own filter refuses namespaces there, and Landlock knows nothing of UDP."""
    hostile.after_the_trial_s = 20.0  # an engine takes its time to say that a container has ended
    asked = {"image": base_image, "user": user, "own": [str(hostile.root)]}

    def prepare() -> None:
        if user:
            subprocess.run(["chown", "-R", f"{user}:{user}", str(hostile.root)], check=True)

    before = (sys.executable, in_container.__file__, json.dumps(asked))
    ended, _, outside = attacked(hostile, user, before, prepare)
    assert "udp" not in outside and "GOT vsock" not in ended.log
    assert hostile.survivors() == []


def test_an_image_holds_the_code_that_its_fingerprint_covers_and_no_other(contract_image, docker_client, tmp_path):
    files = ToyFiles(tmp_path)
    (files.solution / "Dockerfile").write_text(DOCKERFILE)
    files.declare(image="auto-benchmark/known-code:1")
    hidden = files.solution / "__pycache__" / f"brain.{sys.implementation.cache_tag}.pyc"
    (tmp_path / "brain.py").write_text("ANSWER = 42\n")
    unchecked = py_compile.PycInvalidationMode.UNCHECKED_HASH
    py_compile.compile(str(tmp_path / "brain.py"), cfile=str(hidden), invalidation_mode=unchecked, doraise=True)
    image = build_image(load_solution(files.settings(), "toy"), base_image=contract_image, network="none")
    words = ["python", "-c", "import os; print(sorted(os.listdir('.')))"]
    listed = docker_client.containers.run(image, words[1:], entrypoint=words[:1], remove=True, network_mode="none")
    assert "__pycache__" not in listed.decode() and "train.py" in listed.decode()
    labels = docker_client.images.get(image).attrs["Config"]["Labels"]
    assert labels["auto-benchmark.code"] == folder_sha256(files.solution)
