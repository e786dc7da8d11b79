"""On whatever machine and as whichever user: what a trial may reach is refused, or named in its run's own output."""

from __future__ import annotations

import contextlib
import ctypes
import json
import os
import secrets
import socket
import subprocess
import sys
import time
from pathlib import Path

import pytest
from tests.security import lesser_machine
from tests.security.test_survivors import COMETS, DAEMON

pytestmark = pytest.mark.timeout(90)
NOBODY = 65534
AS_ROOT = os.geteuid() == 0
LESS = (
    (), ("landlock",), ("cgroups",), ("namespaces",), ("namespaces", "cgroups"), ("namespaces", "landlock", "cgroups"),
    ("namespaces", "seccomp", "cgroups"), ("namespaces", "landlock", "seccomp", "cgroups"),
)  # fmt: skip
MACHINES = [
    pytest.param(user, lacks, id=f"{'user' if user else 'root'} without {' and '.join(lacks) or 'nothing'}")
    for user in (None, NOBODY)
    for lacks in LESS
]


def machine(user, lacks, own=()):
    """Words before a command by which it runs on such a machine."""
    if not AS_ROOT and (user or "cgroups" in lacks):
        pytest.skip("needs root, to be another user or to hide control groups")
    if not lesser_machine.kernel.KNOWN:
        pytest.skip("needs Linux on a machine whose system calls are known")
    asked = {"lacks": list(lacks), "user": user, "own": [str(folder) for folder in own]}
    words = (sys.executable, lesser_machine.__file__, json.dumps(asked))
    if subprocess.run([*words, "true"], capture_output=True, check=False, timeout=20).returncode:
        pytest.skip("this machine cannot play a lesser one")
    return words


ATTACKS = """
import resource, struct
def tried(name, action):
    try:
        action()
        print("GOT", name, flush=True)
    except Exception as error:
        print("refused:", name, repr(error)[:100], flush=True)
def connect(family, kind, address):
    with socket.socket(family, kind) as client:
        client.settimeout(1)
        client.connect(address)
        client.send(b"answers")
def message():
    with socket.socketpair(socket.AF_UNIX, socket.SOCK_DGRAM)[0] as pair:
        pair.sendto(b"answers", target["datagrams"])
def limit():
    soft, hard = resource.prlimit(target["pid"], resource.RLIMIT_NOFILE)
    resource.prlimit(target["pid"], resource.RLIMIT_NOFILE, (soft - 1, hard))
def lines():
    if not any(target["told"] in (p / "cmdline").read_text() for p in pathlib.Path("/proc").glob("[0-9]*")
               if int(p.name) == target["pid"]):
        raise OSError("not seen")
def segment():
    libc = ctypes.CDLL(None, use_errno=True)
    if libc.shmget(target["key"], 4096, 0o1666) < 0: raise OSError("refused")
    if libc.shmget(target["key"], 4096, 0) < 0: raise OSError("gone")
tried("signal", lambda: os.kill(target["pid"], 0))
tried("limit", limit)
tried("priority", lambda: os.setpriority(os.PRIO_PROCESS, target["pid"], 19))
tried("command line", lines)
tried("unix", lambda: connect(socket.AF_UNIX, socket.SOCK_STREAM, target["socket"]))
tried("tcp", lambda: connect(socket.AF_INET, socket.SOCK_STREAM, ("127.0.0.1", target["tcp"])))
tried("udp", lambda: connect(socket.AF_INET, socket.SOCK_DGRAM, ("127.0.0.1", target["udp"])))
tried("secret", lambda: open(target["secret"]).read())
tried("shadow", lambda: open("/etc/shadow").read())
tried("note", lambda: (pathlib.Path("/dev/shm") / mark).write_text("x"))
tried("segment", segment)
def attached():
    libc.shmat.restype = ctypes.c_ssize_t
    if libc.shmat(target["ipc"]["segment"], None, 0) == -1: raise OSError("refused")
def refused(result):
    if result < 0: raise OSError("refused")
libc = ctypes.CDLL(None)
tried("attach", attached)
tried("post", lambda: refused(libc.msgsnd(target["ipc"]["queue"], ctypes.create_string_buffer(b"\1" + bytes(15)), 1, 0)))
tried("take post", lambda: refused(libc.msgrcv(target["ipc"]["queue"], ctypes.create_string_buffer(64), 8, 0, 0o4000)))
tried("raise", lambda: refused(libc.semop(target["ipc"]["semaphore"], struct.pack("=Hhh", 0, 1, 0), 1)))
for name, call in (("segment", "shmctl"), ("queue", "msgctl")):
    tried("remove " + name, lambda: refused(getattr(libc, call)(target["ipc"][name], 0, None)))
tried("remove semaphore", lambda: refused(libc.semctl(target["ipc"]["semaphore"], 0, 0)))
tried("remove named queue", lambda: refused(libc.syscall(
    {"x86_64": 241, "aarch64": 181}[os.uname().machine], target["ipc"]["name"].encode())))
tried("message", message)
tried("name", lambda: os.stat(target["secret"]))
tried("vsock", lambda: socket.socket(socket.AF_VSOCK, socket.SOCK_STREAM).close())
tried("keys", lambda: 0 / (ctypes.CDLL(None).syscall({"x86_64": 248, "aarch64": 217}[os.uname().machine],
      b"user", b"note", b"x", 1, -4) > 0))
"""
SAYS = {
    "signal": "other processes of the user", "limit": "other processes of the user",
    "priority": "other processes of the user", "command line": "the command lines of other processes",
    "unix": "Unix sockets", "message": "Unix sockets", "name": "files", "tcp": "TCP", "udp": "UDP",
    "secret": "files", "shadow": "files", "note": "/dev/shm", "segment": "shared memory",
    "vsock": "networks", "keys": "shared memory and queues",
    **dict.fromkeys(
        ("attach", "post", "take post", "raise", "remove segment", "remove queue", "remove semaphore",
         "remove named queue"),
        "shared memory and queues",
    ),
}  # fmt: skip
"""What a run must say not to isolate where an attack succeeds."""


OUTSIDE = {"note", "segment", "udp"}
"""Attacks that also succeed within what is the trial's own; whether they got out is seen outside."""


@contextlib.contextmanager
def services(folder: Path):
    """Sockets of the machine, in the open."""
    with (
        socket.socket(socket.AF_UNIX) as unix, socket.create_server(("127.0.0.1", 0)) as tcp,
        socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as udp, socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as post,
    ):  # fmt: skip
        post.bind(str(folder / "post.sock"))
        (folder / "post.sock").chmod(0o777)
        path = folder / "service.sock"
        unix.bind(str(path))
        path.chmod(0o777)
        unix.listen()
        udp.bind(("127.0.0.1", 0))
        udp.settimeout(0.1)
        ports = {"tcp": tcp.getsockname()[1], "udp": udp.getsockname()[1]}
        yield {"socket": str(path), "datagrams": str(folder / "post.sock"), **ports}, udp


MADE_BY_THE_USER = """
import ctypes, json, os, sys
libc, name = ctypes.CDLL(None), sys.argv[1]
mq_open, mq_unlink = {"x86_64": (240, 241), "aarch64": (180, 181)}[os.uname().machine]
made = {"segment": libc.shmget(0, 4096, 0o1666), "queue": libc.msgget(0, 0o1666), "semaphore": libc.semget(0, 1, 0o1666)}
libc.syscall(mq_open, name.encode(), os.O_CREAT | os.O_RDWR, 0o666, None)
message = ctypes.create_string_buffer(b"\\1" + bytes(7) + b"x")
libc.msgsnd(made["queue"], message, 1, 0)
print(json.dumps({**made, "name": name}), flush=True)
sys.stdin.read()
libc.shmctl(made["segment"], 0, None), libc.msgctl(made["queue"], 0, None), libc.semctl(made["semaphore"], 0, 0)
libc.syscall(mq_unlink, name.encode())
"""


@contextlib.contextmanager
def shared_with_the_user(user: int | None):
    """A segment, a queue, a semaphore and a named queue of a service of the same user: their numbers and the name."""
    words = [*machine(user, ()), sys.executable, "-c", MADE_BY_THE_USER, f"post-{secrets.token_hex(4)}"]
    with subprocess.Popen(words, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as service:
        made = json.loads(service.stdout.readline())
        assert min(made["segment"], made["queue"], made["semaphore"]) >= 0, made
        yield made
        service.stdin.close()


def left_outside(udp: socket.socket, note: Path, key: int) -> set[str]:
    """Which attacks left a trace on the machine, which is removed."""
    found = set()
    with contextlib.suppress(TimeoutError):
        udp.recv(100)
        found.add("udp")
    if note.exists():
        note.unlink()
        found.add("note")
    libc = ctypes.CDLL(None)
    if (segment := libc.shmget(key, 0, 0)) >= 0:
        libc.shmctl(segment, 0, None)
        found.add("segment")
    return found


def attacked(hostile, user, before, prepare=lambda: None):
    """One trial that tries everything; how it ended, what it reached, what of that was seen outside.

    What it reached has to be said by the run. ``prepare`` is called before it starts.
    """
    told, key = f"bystander-{secrets.token_hex(4)}", secrets.randbelow(2**30) + 1
    secret = hostile.root / "secret"
    secret.write_text("of the user")
    secret.chmod(0o600)
    bystander = subprocess.Popen(["sh", "-c", "sleep 60; true", told], user=user, group=user)
    try:
        with services(hostile.root) as (places, udp), shared_with_the_user(user) as ipc:
            prepare()
            target = {"pid": bystander.pid, "told": told, "secret": str(secret), "key": key, "ipc": ipc, **places}
            ended = hostile.run(ATTACKS, target=target, wrapped_in=before)
            outside = left_outside(udp, Path("/dev/shm") / hostile.mark, key)
    finally:
        bystander.kill()
        bystander.wait()
    assert ended.state == "done", (ended.err, ended.log)
    assert ended.log.count("GOT") + ended.log.count("refused:") == len(SAYS), ended.log
    reached = {name for name in SAYS if f"GOT {name}\n" in ended.log} - OUTSIDE | outside
    said = ended.told["isolation"]["not_isolated"]
    assert {name for name in reached if not any(SAYS[name] in words for words in said)} == set(), said
    return ended, reached, outside


@pytest.mark.parametrize(("user", "lacks"), MACHINES)
def test_whatever_a_trial_reaches_is_said(hostile, user, lacks):
    ended, reached, _ = attacked(hostile, user, machine(user, lacks, own=[hostile.root]))
    assert reached == set() or set(lacks) & {"namespaces", "landlock", "seccomp"}
    assert all(words in ended.err for words in ended.told["isolation"]["not_isolated"])
    assert ended.stored["fingerprint"]["isolation"] in ended.err
    assert hostile.survivors() == []


REWRITES = f"""
{DAEMON}
def rewrite():
    with (out / "predictions.jsonl").open("r+b") as held:
        time.sleep(1.5)
        held.truncate(0)
    time.sleep(20)
daemon(rewrite)
"""


@pytest.mark.parametrize(
    ("user", "lacks"),
    [(user, ("namespaces", "cgroups", *more)) for user in (None, NOBODY) for more in ((), ("landlock",))],
    ids=["root", "root without Landlock", "user", "user without Landlock"],
)  # fmt: skip
@pytest.mark.parametrize("code", [REWRITES, COMETS], ids=["a daemon", "processes that fork fast"])
def test_without_namespaces_nothing_outlives_its_trial_either(hostile, user, lacks, code):
    ended = hostile.run(code, wrapped_in=machine(user, lacks, own=[hostile.root]))
    assert ended.state in {"done", "failed"}, ended.err
    assert hostile.survivors() == []
    if ended.state == "done":
        stored = (ended.folder / "predictions.jsonl").read_bytes()
        time.sleep(0.2)
        assert (ended.folder / "predictions.jsonl").read_bytes() == stored != b""


HOARD = "hoard = {}\nfor _ in range(160): os.write(hoard, bytes(2**20))\ntime.sleep(0.5)"


@pytest.mark.parametrize(("user", "lacks"), [(None, ("cgroups",)), (NOBODY, ()), (NOBODY, ("namespaces",))])
@pytest.mark.parametrize("opened", ["os.memfd_create('x')", "os.open('/dev/shm/' + mark, os.O_CREAT | os.O_WRONLY)"])
def test_files_in_memory_count_where_no_control_group_counts_them(hostile, user, lacks, opened):
    ended = hostile.run(HOARD.format(opened), memory_mb=80, wrapped_in=machine(user, lacks, own=[hostile.root]))
    assert ended.state == "failed", ended.told


UNWAITED = """
import signal
ctypes.CDLL(None).prctl(31, 0, 0, 0, 0)
signal.signal(signal.SIGCHLD, signal.SIG_IGN)
for _ in range(50):
    if os.fork() == 0:
        ctypes.CDLL(None).prctl(31, 0, 0, 0, 0)
        until = time.process_time() + 0.02
        while time.process_time() < until: pass
        os._exit(0)
    time.sleep(0.025)
answer(dict.fromkeys(ids, "low")); report(latency_ms=1.0)
"""
"""A second in processes that nothing waits for, each with its counters switched off, as far as that is in its power."""


@pytest.mark.parametrize(
    ("user", "lacks"),
    [(None, ("cgroups",)), (None, ("namespaces", "cgroups")), (NOBODY, ()), (NOBODY, ("namespaces",))],
)
def test_processor_time_that_nothing_waits_for_counts(hostile, user, lacks):
    ended = hostile.run(UNWAITED, wrapped_in=machine(user, lacks, own=[hostile.root]))
    assert ended.state == "done", (ended.err, ended.log)
    if "processor time between two looks" in ended.told["isolation"]["not_isolated"]:
        pytest.skip("this kernel lets no ordinary user count it, and the run says so")
    assert ended.stored["measured"]["cpu_s"] >= 1.0
