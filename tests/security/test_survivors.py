"""Nothing of a trial runs on once the trial has ended, whichever way it ended."""

from __future__ import annotations

import platform
import time
from pathlib import Path

import pytest

pytestmark = pytest.mark.timeout(60)
DAEMON = """
def daemon(action):
    if os.fork() == 0:
        os.setsid()
        if os.fork() == 0:
            action()
            os._exit(0)
        os._exit(0)
    os.wait()
"""
KILLS_ITS_ENTRYPOINT = f"""
{DAEMON}
daemon(lambda: time.sleep(20))
os.kill(os.getppid(), signal.SIGKILL)
time.sleep(2)
"""
# The entrypoint is stopped in a system call and resumed one instruction earlier, at the call of exit_group(0).
LETS_ITS_ENTRYPOINT_EXIT = f"""
{DAEMON}
def end_well(pid):
    ATTACH, DETACH, GET, SET = 16, 17, 12, 13
    RAX, ORIG_RAX, RIP, RDI, EXIT_GROUP = 10, 15, 16, 14, 231
    libc = ctypes.CDLL(None, use_errno=True)
    trace = lambda what, data: libc.ptrace(ctypes.c_long(what), ctypes.c_long(pid), None, data)
    if trace(ATTACH, None) != 0:
        sys.exit("the entrypoint cannot be traced")
    os.waitpid(pid, 0x40000000)
    registers = (ctypes.c_ulonglong * 27)()
    trace(GET, ctypes.byref(registers))
    registers[RIP] -= 2
    registers[RAX], registers[ORIG_RAX], registers[RDI] = EXIT_GROUP, 2**64 - 1, 0
    trace(SET, ctypes.byref(registers))
    trace(DETACH, None)
def rewrite():
    with (out / "predictions.jsonl").open("r+b") as held:
        time.sleep(1.5)
        held.truncate(0)
    time.sleep(20)
daemon(rewrite)
entrypoint = os.getppid()
if os.fork() == 0:
    ctypes.CDLL(None).prctl(1, 0)
    end_well(entrypoint)
    os._exit(0)
time.sleep(1)
"""
COMETS = """
def comet():
    os.setsid()
    while time.time() < started + 4:
        try:
            if os.fork(): os._exit(0)
        except OSError: pass
    os._exit(0)
for _ in range(3):
    if os.fork() == 0: comet()
"""


def test_a_trial_that_kills_its_entrypoint_leaves_no_process(hostile):
    ended = hostile.run(KILLS_ITS_ENTRYPOINT)
    assert (ended.state, ended.failure) == ("failed", "killed"), ended
    assert hostile.survivors() == []


def can_trace() -> bool:
    """Whether this kernel lets a process trace its parent; the registers are those of x86-64."""
    yama = Path("/proc/sys/kernel/yama/ptrace_scope")
    return platform.machine() == "x86_64" and (not yama.exists() or yama.read_text().strip() == "0")


@pytest.mark.skipif(not can_trace(), reason="needs x86-64 and a kernel that lets a process trace its parent")
def test_a_trial_that_makes_its_entrypoint_exit_leaves_no_process_to_rewrite_its_answers(hostile):
    ended = hostile.run(LETS_ITS_ENTRYPOINT_EXIT)
    stored = ended.folder / "predictions.jsonl"
    before = stored.read_bytes() if stored.exists() else b""
    left = hostile.survivors()
    if left:
        time.sleep(1.5)
    assert (left, stored.read_bytes() if stored.exists() else b"") == ([], before)


def test_processes_that_fork_faster_than_they_are_killed_do_not_outlive_their_trial(hostile):
    hostile.run(COMETS)
    assert hostile.survivors() == []
