"""What a confined process can still do, tried out by a confined process, with each layer alone and with all."""

import json
import os
import subprocess
import sys
import textwrap

import pytest

from auto_benchmark.runners import isolation
from auto_benchmark.runners.confinement import landlock
from auto_benchmark.runners.confinement.plan import MOUNT, NETWORK, PID, ConfinementPlan, Layers

SYSTEM = ("/usr", "/lib", "/lib64", "/bin", sys.prefix, sys.base_prefix)
OFFERED = isolation.offered().layers
LANDLOCK = Layers(landlock=OFFERED.landlock)
NAMESPACES = Layers(namespaces=OFFERED.namespaces)
SECCOMP = Layers(seccomp=OFFERED.seccomp)
needs_landlock = pytest.mark.skipif(OFFERED.landlock < 4, reason="needs a kernel with Landlock for TCP")
needs_namespaces = pytest.mark.skipif(not OFFERED.has(MOUNT, PID, NETWORK), reason="needs namespaces")
needs_seccomp = pytest.mark.skipif(not OFFERED.seccomp, reason="needs seccomp on a machine that is known")
START = """
import ctypes, json, os, socket, pathlib
found = {}
def attempt(name, action):
    try:
        action(); found[name] = "done"
    except OSError as error:
        found[name] = type(error).__name__
"""


def start(plan, code, *, check, **options):
    command = [*isolation.PROGRAM, plan.to_json(), sys.executable, "-I", "-S", "-c", code]
    return subprocess.run(command, check=check, capture_output=True, text=True, timeout=30, **options)


def tried(tmp_path, code, layers, *, readable=(), writable=(), **granted):
    plan = ConfinementPlan(
        (*SYSTEM, *map(str, readable)), tuple(map(str, writable)), layers, ("/dev/null",), **granted
    )
    done = start(plan, START + textwrap.dedent(code) + "\nprint(json.dumps(found))", check=True, cwd="/")
    return json.loads(done.stdout)


@pytest.mark.parametrize(
    "layers",
    [pytest.param(LANDLOCK, marks=needs_landlock), pytest.param(NAMESPACES, marks=needs_namespaces)],
    ids=["Landlock", "namespaces"],
)
def test_only_the_named_paths_can_be_read_and_written(tmp_path, layers):
    for name in ("open", "closed", "given"):
        (tmp_path / name).mkdir()
        (tmp_path / name / "file").write_text("x")
    found = tried(
        tmp_path,
        f"""
        root = pathlib.Path({str(tmp_path)!r})
        for place in ("open", "closed", "given"):
            attempt(f"read {{place}}", lambda: (root / place / "file").read_text())
            attempt(f"write {{place}}", lambda: (root / place / "new").write_text("x"))
        attempt("replace", lambda: (root / "open" / "new").replace(root / "closed" / "file"))
        attempt("link", lambda: (root / "open" / "l").symlink_to(root / "closed" / "file"))
        attempt("through the link", lambda: (root / "open" / "l").read_text())
        """,
        layers,
        readable=[tmp_path / "given"],
        writable=[tmp_path / "open"],
    )
    allowed = {"read open", "write open", "read given", "link"}
    assert {name for name, how in found.items() if how == "done"} == allowed
    assert (tmp_path / "closed" / "file").read_text() == "x"


@pytest.mark.parametrize("inner", ["readable", "writable"])
@needs_namespaces
def test_a_path_within_a_path_keeps_its_own_rule(tmp_path, inner):
    (tmp_path / "outer" / "inner").mkdir(parents=True)
    (tmp_path / "link").symlink_to(tmp_path / "outer")
    paths = {"readable": [tmp_path / "link"], "writable": [tmp_path / "link" / "inner"]}
    if inner == "readable":
        paths = {"readable": paths["writable"], "writable": paths["readable"]}
    code = f"""
        root = pathlib.Path({str(tmp_path / "link")!r})
        attempt("outer", lambda: (root / "new").write_text("x"))
        attempt("inner", lambda: (root / "inner" / "new").write_text("x"))
        """
    found = tried(tmp_path, code, NAMESPACES, **paths)
    assert {name for name, how in found.items() if how == "done"} == {"outer" if inner == "readable" else "inner"}


@pytest.mark.parametrize(
    ("layers", "kept"),
    [
        pytest.param(LANDLOCK, {"signal", "environment", "tcp"}, marks=needs_landlock),
        pytest.param(NAMESPACES, {"signal", "environment", "tcp", "udp", "unix"}, marks=needs_namespaces),
        pytest.param(SECCOMP, {"tcp", "udp", "unix", "vsock", "packet", "limit", "priority"}, marks=needs_seccomp),
    ],
    ids=["Landlock", "namespaces", "seccomp"],
)
def test_other_processes_and_networks_are_out_of_reach(tmp_path, layers, kept):
    other = subprocess.Popen(["sleep", "30"])
    with socket_of(tmp_path) as path:
        try:
            found = tried(
                tmp_path,
                f"""
                def tcp():
                    socket.create_connection(("192.0.2.1", 80), 2)
                import resource
                attempt("signal", lambda: os.kill({other.pid}, 9))
                attempt("environment", lambda: pathlib.Path("/proc/{other.pid}/environ").read_bytes())
                attempt("tcp", tcp)
                attempt("udp", lambda: socket.socket(socket.AF_INET, socket.SOCK_DGRAM).sendto(b"", ("192.0.2.1", 5)))
                attempt("unix", lambda: socket.socket(socket.AF_UNIX).connect({path!r}))
                attempt("vsock", lambda: socket.socket(socket.AF_VSOCK, socket.SOCK_STREAM))
                attempt("packet", lambda: socket.socket(socket.AF_PACKET, socket.SOCK_RAW))
                attempt("limit", lambda: resource.prlimit({other.pid}, resource.RLIMIT_CPU, (9, 9)))
                attempt("priority", lambda: os.setpriority(os.PRIO_USER, 0, 19))
                attempt("own limit", lambda: resource.setrlimit(resource.RLIMIT_CPU, (99, 99)))
                attempt("own priority", lambda: os.nice(1))
                attempt("own pair", lambda: socket.socketpair())
                """,
                layers,
            )
            assert other.poll() is None or "signal" not in kept
        finally:
            other.kill()
            other.wait()
    assert {name for name in kept if found[name] == "done"} == set(), found
    assert {found[name] for name in ("own limit", "own priority", "own pair")} == {"done"}


def socket_of(folder):
    import contextlib
    import socket

    @contextlib.contextmanager
    def listening():
        with socket.socket(socket.AF_UNIX) as server:
            path = os.path.relpath(folder / "s")
            server.bind(path)
            server.listen()
            yield str(folder / "s")

    return listening()


@needs_landlock
def test_a_process_may_name_its_threads_where_it_is_allowed_to_write_about_itself(tmp_path):
    code = """
        attempt("own", lambda: pathlib.Path(f"/proc/self/task/{os.getpid()}/comm").write_text("x"))
        attempt("other", lambda: pathlib.Path(f"/proc/{os.getppid()}/comm").write_text("x"))
        attempt("kernel", lambda: os.open("/proc/sys/kernel/core_pattern", os.O_WRONLY))
        """
    assert set(tried(tmp_path, code, LANDLOCK).values()) == {"PermissionError"}
    plan = ConfinementPlan(SYSTEM, (), LANDLOCK, gpus=True)
    assert plan.restricts_late
    program = START + textwrap.dedent(code) + "\nprint(json.dumps(found))"
    command = [*isolation.PROGRAM, "restrict", plan.to_json(), sys.executable, "-I", "-S", "-c", program]
    found = json.loads(subprocess.run(command, capture_output=True, check=True, timeout=30).stdout)
    assert found["own"] == "done" and "done" not in {found["other"], found["kernel"]}


@needs_namespaces
def test_a_tree_of_its_own_holds_what_every_program_needs(tmp_path):
    code = """
        import pwd
        attempt("name", lambda: pwd.getpwuid(os.getuid()).pw_name == "trial" or os.close(-1))
        attempt("null", lambda: open("/dev/null", "w").write("x"))
        attempt("shared memory", lambda: open("/dev/shm/x", "w").write("x"))
        attempt("setting", lambda: open("/proc/sys/vm/swappiness", "w"))
        attempt("root", lambda: open("/x", "w"))
        found["processes"] = sorted(name for name in os.listdir("/proc") if name.isdigit())
        found["devices"] = sorted(os.listdir("/dev"))
        """
    found = tried(tmp_path, code, NAMESPACES)
    assert (found["name"], found["null"], found["shared memory"]) == ("done", "done", "done")
    assert "done" not in {found["setting"], found["root"]}
    assert found["processes"] == ["1", "2"]
    assert found["devices"] == ["fd", "null", "shm", "stderr", "stdin", "stdout"]


@needs_seccomp
def test_a_session_is_granted_in_name_only_where_all_processes_are_ended_by_their_group(tmp_path):
    code = """
        before = os.getpgrp()
        attempt("setsid", os.setsid)
        attempt("setpgid", lambda: os.setpgid(0, 0))
        found["same"] = os.getpgrp() == before
        """
    assert tried(tmp_path, code, SECCOMP) == {"setsid": "done", "setpgid": "done", "same": True}


@pytest.mark.parametrize("counted", [True, False])
@needs_seccomp
def test_files_without_a_name_are_refused_where_nothing_counts_them(tmp_path, counted):
    code = "attempt('file', lambda: os.close(os.memfd_create('x')))"
    found = tried(tmp_path, code, SECCOMP, counts_files_in_memory=counted)
    assert found == {"file": "done" if counted else "PermissionError"}


@needs_namespaces
@needs_seccomp
def test_of_internet_sockets_only_tcp_and_udp_are_made_where_nothing_counts_them(tmp_path):
    code = """
        import socket
        for kind in (socket.SOCK_STREAM, socket.SOCK_DGRAM, socket.SOCK_SEQPACKET):
            attempt(kind.name, lambda: socket.socket(socket.AF_INET, kind).close())
        """
    layers = Layers(namespaces=OFFERED.namespaces, seccomp=OFFERED.seccomp)
    found = tried(tmp_path, code, layers, counts_files_in_memory=False)
    assert found == {
        "SOCK_STREAM": "done",
        "SOCK_DGRAM": "done",
        "SOCK_SEQPACKET": "PermissionError",
    }  # the last is SCTP


@pytest.mark.parametrize("layers", [Layers(), NAMESPACES], ids=["no layers", "namespaces"])
def test_exit_codes_and_signals_come_through(layers):
    for code, expected in (("raise SystemExit(7)", 7), ("import os; os.kill(os.getpid(), 9)", 137), ("", 0)):
        assert start(ConfinementPlan(SYSTEM, (), layers), code, check=False, cwd="/").returncode == expected


def test_what_cannot_be_confined_or_started_is_a_fault_of_the_environment():
    reading, writing = os.pipe()
    plan = ConfinementPlan(SYSTEM, (), Layers(), groups=("/no/such/group",), report=writing)
    with os.fdopen(reading) as report:
        done = start(plan, "", check=False, pass_fds=(writing,))
        os.close(writing)
        assert done.returncode == 78 and "/no/such/group" in json.loads(report.read())["fault"]
    command = [*isolation.PROGRAM, ConfinementPlan(SYSTEM, (), Layers()).to_json(), "/no/such/program"]
    assert subprocess.run(command, check=False, timeout=30).returncode == 78


def test_a_plan_is_read_as_it_was_written():
    plan = ConfinementPlan(
        ("/a", "/b"), ("/c",), Layers(("mount", "pid"), 7, True, True), user=61_184, groups=("/g",), gpus=True
    )
    again = ConfinementPlan.from_json(plan.to_json())
    assert again.layers == plan.layers and again.to_json() == plan.to_json()


def test_the_probe_finds_the_kernels_landlock():
    assert OFFERED.landlock == landlock.version()
