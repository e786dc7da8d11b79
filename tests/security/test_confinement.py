"""What a local trial may reach: its data, its output, and nothing and nobody else."""

from __future__ import annotations

import contextlib
import ctypes
import os
import pty
import resource
import secrets
import shutil
import socket
import subprocess
import tempfile
import threading
from pathlib import Path

import pytest
from tests.contract.cheats import REGENERATE

pytestmark = pytest.mark.timeout(60)
AS_ROOT = os.geteuid() == 0
LIMITS = "attempt(lambda: __import__('resource').prlimit(target['pid'], {}, {}))"


@pytest.fixture
def bystander():
    """A process of the same user, as the scheduler or another project's worker is."""
    process = subprocess.Popen(["sleep", "60"])
    yield process
    process.kill()
    process.wait()


def test_the_limits_of_other_processes_stay_as_they_are(hostile, bystander):
    kinds = (resource.RLIMIT_NOFILE, resource.RLIMIT_CPU)
    before = [resource.prlimit(bystander.pid, kind) for kind in kinds]
    lower = "\n".join(LIMITS.format(kind, f"({soft - 1 if soft > 0 else 600}, {hard})")
                      for kind, (soft, hard) in zip(kinds, before, strict=True))  # fmt: skip
    assert hostile.run(lower, target={"pid": bystander.pid}).state == "done"
    assert [resource.prlimit(bystander.pid, kind) for kind in kinds] == before


SUPERVISOR = """
def parent(pid):
    return int(pathlib.Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()[1])
def starve():
    __import__("resource").prlimit(parent(os.getppid()), 7, (3, 3))
attempt(starve)
time.sleep(0.5)
"""


def test_a_trial_does_not_starve_its_supervisor(hostile):
    assert hostile.run(SUPERVISOR).state == "done"


CALL = """
def call():
    with socket.socket(socket.AF_UNIX) as client:
        client.settimeout(2)
        client.connect(target["socket"])
        client.sendall(b"GET /version HTTP/1.1\\r\\nHost: engine\\r\\nConnection: close\\r\\n\\r\\n")
        print("answered:", client.recv(100), flush=True)
attempt(call)
"""


def test_a_trial_cannot_call_a_service_by_its_unix_socket(hostile, open_directory):
    path = open_directory / f"{secrets.token_hex(4)}.sock"
    called = threading.Event()
    with socket.socket(socket.AF_UNIX) as server:
        server.bind(str(path))
        server.listen()
        server.settimeout(20)

        def accept():
            with contextlib.suppress(OSError):
                client, _ = server.accept()
                called.set()
                client.close()

        threading.Thread(target=accept, daemon=True).start()
        ended = hostile.run(CALL, target={"socket": str(path)})
        called.wait(0.2)
        with contextlib.suppress(OSError):
            server.shutdown(socket.SHUT_RDWR)
    path.unlink()
    assert ended.state == "done"
    assert not called.is_set(), "it asked a service outside of the trial"


@pytest.mark.docker
def test_a_local_trial_cannot_call_the_docker_engine(hostile, docker_engine):
    address = os.environ["DOCKER_HOST"]
    if not address.startswith("unix://"):
        pytest.skip(f"the engine is not reached by a Unix socket but by {address}")
    ended = hostile.run(CALL, target={"socket": address.removeprefix("unix://")})
    assert "refused:" in ended.log
    assert "answered:" not in ended.log


NOTE = """
note = pathlib.Path("/dev/shm") / mark
def leave():
    print("found" if note.exists() else "nothing", flush=True)
    note.write_text("what the first seed has learnt")
attempt(leave)
"""


def test_no_note_in_shared_memory_reaches_another_trial(hostile):
    hostile.run(NOTE)
    left = (Path("/dev/shm") / hostile.mark).exists()
    assert ("found" in hostile.run(NOTE, seed=2).log, left) == (False, False)


SEGMENT = """
libc = ctypes.CDLL(None, use_errno=True)
print("found" if libc.shmget(target["key"], 4096, 0) >= 0 else "nothing", flush=True)
libc.shmget(target["key"], 4096, 0o1666)
"""


@pytest.fixture
def segment_key():
    """A key of System V shared memory that nobody uses; the segment is removed."""
    key = secrets.randbelow(2**30) + 1
    yield key
    libc = ctypes.CDLL(None, use_errno=True)
    found = libc.shmget(key, 0, 0)
    if found >= 0:
        libc.shmctl(found, 0, None)


def test_no_segment_of_shared_memory_reaches_another_trial(hostile, segment_key):
    hostile.run(SEGMENT, target={"key": segment_key})
    left = ctypes.CDLL(None).shmget(segment_key, 0, 0) >= 0
    assert ("found" in hostile.run(SEGMENT, seed=2, target={"key": segment_key}).log, left) == (False, False)


@pytest.mark.parametrize(
    "opened",
    ["os.memfd_create('hoard')", "os.open(f'/dev/shm/{mark}', os.O_CREAT | os.O_WRONLY)"],
    ids=["a file without a name", "shared memory"],
)
def test_files_in_memory_count_as_memory(hostile, opened):
    hoard = f"hoard = {opened}\nfor _ in range(160): os.write(hoard, bytes(2**20))\ntime.sleep(0.3)"
    assert hostile.run(hoard, memory_mb=80).state == "failed"


@pytest.mark.skipif(not os.access("/opt", os.W_OK), reason="needs a user who may write to /opt")
def test_a_trial_reads_nothing_below_opt(hostile):
    with tempfile.TemporaryDirectory(dir="/opt", prefix="auto-benchmark-test-") as folder:
        Path(folder).chmod(0o755)
        benchmark = shutil.copytree(hostile.benchmarks / "toy", Path(folder) / "toy")
        ended = hostile.run(REGENERATE, target={"benchmark": str(benchmark)})
    assert ended.state == "done"
    assert ended.told["metrics"]["accuracy"] < 0.9, "it generated the answers again"


def test_a_trial_writes_to_no_terminal(hostile):
    master, slave = pty.openpty()
    try:
        hostile.run(f"attempt(lambda: open({os.ttyname(slave)!r}, 'w').write('promoted H-999'))")
        os.set_blocking(master, False)
        try:
            shown = os.read(master, 100)
        except BlockingIOError:
            shown = b""
    finally:
        os.close(master)
        os.close(slave)
    assert shown == b""


OF_THE_SYSTEM = {"/etc/shadow": "rb", "/dev/kmsg": "wb"}


@pytest.mark.skipif(not AS_ROOT, reason="needs root: the system keeps these from anybody else")
def test_a_trial_of_root_opens_no_file_of_the_system(hostile):
    """They are closed again at once."""
    places = [(path, mode) for path, mode in OF_THE_SYSTEM.items() if Path(path).exists()]
    opening = "def opening(path, mode):\n    open(path, mode).close()\n    print('opened', path, flush=True)\n"
    ended = hostile.run(opening + "\n".join(f"attempt(lambda: opening({path!r}, {mode!r}))" for path, mode in places))
    assert ended.log.count("refused:") == len(places) > 0, ended.log


WITHOUT_NETWORK_NAMESPACES = (
    "unshare", "--user", "--map-root-user", "sh", "-c", 'echo 0 > /proc/sys/user/max_net_namespaces; exec "$@"', "sh",
)  # fmt: skip
"""As below the usual seccomp profile of a container: nobody may make a network namespace."""


def test_where_no_network_namespace_can_be_made_no_datagram_leaves_or_every_run_says_so(hostile):
    probe = subprocess.run([*WITHOUT_NETWORK_NAMESPACES, "true"], capture_output=True, check=False, timeout=10)
    if probe.returncode:
        pytest.skip("needs user namespaces")
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as listener:
        listener.bind(("127.0.0.1", 0))
        address = listener.getsockname()
        send = f"attempt(lambda: socket.socket(socket.AF_INET, socket.SOCK_DGRAM).sendto(b'answers', {address!r}))"
        ended = hostile.run(send, wrapped_in=WITHOUT_NETWORK_NAMESPACES)
        listener.settimeout(0.2)
        try:
            received = listener.recv(100)
        except TimeoutError:
            received = b""
    assert ended.state == "done"
    assert not received or "UDP" in ended.err, ended.err
