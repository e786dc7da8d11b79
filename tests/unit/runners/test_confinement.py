"""What a confined process can still do, tried out by a confined process."""

import json
import subprocess
import sys
import textwrap

import pytest

from auto_benchmark.runners import confinement

needs_landlock = pytest.mark.skipif(confinement.landlock_version() < 4, reason="needs a kernel with Landlock for TCP")


def tried(tmp_path, code, *, readable=(), writable=()):
    program = "import json, os, socket, pathlib\nfound = {}\n" + textwrap.dedent(
        """
        def attempt(name, action):
            try:
                action(); found[name] = "done"
            except OSError as error:
                found[name] = type(error).__name__
        """
    )
    program += textwrap.dedent(code) + "\nprint(json.dumps(found))"
    system = ["/usr", "/lib", "/lib64", "/bin", "/etc", "/proc", sys.prefix, sys.base_prefix, *map(str, readable)]
    words = [*system, "--", "/dev/null", *map(str, writable), "--", sys.executable, "-I", "-S", "-c", program]
    done = subprocess.run(
        [sys.executable, "-I", "-S", confinement.__file__, *words],
        capture_output=True,
        text=True,
        check=True,
        timeout=30,
    )
    return json.loads(done.stdout)


@needs_landlock
def test_only_the_named_paths_can_be_read_and_written(tmp_path):
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
        readable=[tmp_path / "given"],
        writable=[tmp_path / "open"],
    )
    assert found["read open"] == found["write open"] == found["read given"] == found["link"] == "done"
    refused = {name for name, how in found.items() if how == "PermissionError"}
    assert refused >= {"read closed", "write closed", "write given", "through the link"}
    assert found["replace"] != "done" and (tmp_path / "closed" / "file").read_text() == "x"


@needs_landlock
def test_other_processes_and_networks_are_out_of_reach(tmp_path):
    other = subprocess.Popen(["sleep", "30"])
    try:
        found = tried(
            tmp_path,
            f"""
            attempt("signal", lambda: os.kill({other.pid}, 9))
            attempt("environment", lambda: pathlib.Path("/proc/{other.pid}/environ").read_bytes())
            attempt("tcp", lambda: socket.create_connection(("192.0.2.1", 80), 2))
            attempt("udp", lambda: socket.socket(socket.AF_INET, socket.SOCK_DGRAM).sendto(b"x", ("192.0.2.1", 53)))
            """,
        )
        assert other.poll() is None
    finally:
        other.kill()
        other.wait()
    assert "done" not in {found["environment"], found["tcp"]}
    assert confinement.landlock_version() < confinement.FIRST_WITH_SIGNALS or found["signal"] == "PermissionError"


@needs_landlock
def test_a_process_may_name_its_threads_where_it_is_allowed_to_write_about_itself(tmp_path):
    code = """
        attempt("own", lambda: pathlib.Path(f"/proc/self/task/{os.getpid()}/comm").write_text("x"))
        attempt("own by number", lambda: pathlib.Path(f"/proc/{os.getpid()}/comm").write_text("x"))
        attempt("other", lambda: pathlib.Path(f"/proc/{os.getppid()}/comm").write_text("x"))
        attempt("kernel", lambda: os.open("/proc/sys/kernel/core_pattern", os.O_WRONLY))
        """
    assert set(tried(tmp_path, code).values()) == {"PermissionError"}
    found = tried(tmp_path, code, writable=[confinement.OWN_PROCESS])
    assert (found["own"], found["own by number"]) == ("done", "done")
    assert "done" not in {found["other"], found["kernel"]}


def test_a_command_that_cannot_start_is_a_fault_of_the_environment():
    words = [sys.executable, "-I", "-S", confinement.__file__, "/", "--", "--", "/no/such/program"]
    done = subprocess.run(words, capture_output=True, text=True, check=False, timeout=30)
    assert done.returncode == confinement.EXIT_ENVIRONMENT and "cannot start /no/such/program" in done.stderr


def test_what_the_kernel_does_not_offer_is_said():
    assert {"disk space", "Unix sockets"} <= set(confinement.missing())
    assert ("file system" in confinement.missing()) == (confinement.landlock_version() == 0)
