"""Starts a trial's command inside its container or process. Standard library only: this file is copied into images.

``python entrypoint.py COMMAND [ARG ...]`` reads nothing but the environment of the trial contract. It writes stdout
and stderr of the command to ``$AB_OUTPUT_DIR/train.log`` (bounded) and passes ``AB_PROGRESS`` lines on to its own
stdout. It ends the command when its own parent dies or when it is told to stop, and exits as the command did (128 + n
after signal n). Where ``AB_GPUS`` asks for devices that are not there it exits with 78 before anything trains. As the
first process of a container it ends a command that holds too many locks on files, and writes what the command used as the
last line of its stdout: nothing outside sees either.
"""

import contextlib
import ctypes
import itertools
import json
import os
import re
import resource
import signal
import subprocess
import sys
import threading
import time
from pathlib import Path
from typing import IO

PROGRESS, USAGE = b"AB_PROGRESS ", b"AB_USAGE "
LARGEST_LOG_BYTES = 16 * 2**20
LONGEST_PROGRESS_LINE = 65_536
EXIT_ENVIRONMENT = 78
LAST_WORDS_SECONDS = 2.0
LAST_WORDS_BYTES = 2048
STOP_SECONDS = 5.0
LOOK_SECONDS = 0.5
MOST_LOCKS = 20_000
"""On parts of files: 192 bytes each, which the kernel counts to no container."""
_PR_SET_PDEATHSIG, _PR_SET_DUMPABLE, _PR_SET_CHILD_SUBREAPER = 1, 4, 36
_NVIDIA_DEVICE = re.compile(r"nvidia\d+")


def die_with_parent() -> None:
    """Ask the kernel to kill this process when its parent dies, so that nothing trains unobserved."""
    if sys.platform == "linux":
        ctypes.CDLL(None, use_errno=True).prctl(_PR_SET_PDEATHSIG, signal.SIGKILL)


def adopt_orphans() -> None:
    """Become the parent of whatever the command leaves behind, so that it can be ended."""
    if sys.platform == "linux":
        ctypes.CDLL(None, use_errno=True).prctl(_PR_SET_CHILD_SUBREAPER, 1)


def close_to_others() -> None:
    """Let no other process of this user look into this one or change it."""
    if sys.platform == "linux":
        ctypes.CDLL(None, use_errno=True).prctl(_PR_SET_DUMPABLE, 0)


def end_of(child: subprocess.Popen[bytes], log: IO[bytes]) -> int:
    """Wait for the command's end and return its exit code."""
    if os.getpid() != 1:  # all the machine's locks would be listed, and whoever started this one counts them
        return child.wait()
    while True:
        with contextlib.suppress(subprocess.TimeoutExpired):
            return child.wait(LOOK_SECONDS)
        if locks() > MOST_LOCKS:
            child.kill()
            child.wait()
            log.write(b"entrypoint: held more than %d locks on files\n" % MOST_LOCKS)
            return 1


def locks() -> int:
    """How many locks the processes of this container hold, or a few more than the most."""
    try:
        with Path("/proc/locks").open("rb") as lines:
            return sum(1 for _ in itertools.islice(lines, MOST_LOCKS + 1))
    except OSError:
        return 0


def tell_usage() -> None:
    """Write processor time and the memory of the largest process, MiB, to stdout, which no other process can write to."""
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    told = {"cpu_s": max(used.ru_utime + used.ru_stime, counted_cpu_s()), "peak_memory_mb": used.ru_maxrss / 1024}
    sys.stdout.buffer.write(USAGE + json.dumps(told).encode() + b"\n")
    sys.stdout.buffer.flush()


def counted_cpu_s() -> float:
    """Of this container's control group, which also counts what nothing waited for; 0 where it cannot be read."""
    with contextlib.suppress(OSError, ValueError):
        return int(Path("/sys/fs/cgroup/cpuacct/cpuacct.usage").read_bytes()) / 1e9
    with contextlib.suppress(OSError, ValueError, IndexError):
        return int(Path("/sys/fs/cgroup/cpu.stat").read_bytes().split()[1]) / 1e6
    return 0.0


def end_orphans() -> None:
    """Kill everything that is left below this process; a fork bomb loses, since killed parents fork no more."""
    deadline = time.monotonic() + STOP_SECONDS
    while (left := _children()) and time.monotonic() < deadline:
        for pid in left:
            with contextlib.suppress(ProcessLookupError, PermissionError):
                os.kill(pid, signal.SIGKILL)
        for pid in left:
            with contextlib.suppress(ChildProcessError):
                os.waitpid(pid, os.WNOHANG)
        time.sleep(0.01)


def _children() -> list[int]:
    try:
        return [
            int(pid) for task in Path("/proc/self/task").iterdir() for pid in (task / "children").read_text().split()
        ]
    except OSError:  # another system, or a kernel without this file
        return []


def follow(stream: IO[bytes], log: IO[bytes]) -> None:
    """Copy the command's output to the log up to its bound and progress lines to stdout.

    A bar that redraws itself on stderr ends no line, so that a progress line may begin behind it.
    """
    room = LARGEST_LOG_BYTES
    dropped, begun = 0, b""
    while line := stream.readline(LONGEST_PROGRESS_LINE):
        whole = begun + line
        begun = b"" if whole.endswith(b"\n") else unfinished(whole)
        start = -1 if begun else whole.rfind(PROGRESS)
        if start >= 0 and whole.endswith(b"\n") and len(whole) - start <= LONGEST_PROGRESS_LINE:
            sys.stdout.buffer.write(whole[start:])
            sys.stdout.buffer.flush()
        kept = line[:room]
        log.write(kept)
        log.flush()
        room -= len(kept)
        dropped += len(line) - len(kept)
    if dropped:
        log.write(b"\n[%d bytes of output were dropped here]\n" % dropped)


def unfinished(line: bytes) -> bytes:
    """The end of an unfinished line that may be the beginning of a progress line; nothing that is too long for one."""
    start = line.rfind(PROGRESS)
    if start < 0:
        return line[1 - len(PROGRESS) :]
    return line[start:] if len(line) - start <= LONGEST_PROGRESS_LINE else b""


def missing_gpus() -> str | None:
    """What is wrong when fewer devices are visible than were asked for; a result from the processor does not count."""
    wanted = int(os.environ.get("AB_GPUS") or 0)
    visible = sum(bool(_NVIDIA_DEVICE.fullmatch(name)) for name in os.listdir("/dev")) if wanted else 0  # noqa: PTH208
    return f"entrypoint: {visible} of {wanted} GPUs are visible" if visible < wanted else None


def main() -> int:
    """Run the command and return its exit code."""
    die_with_parent()
    adopt_orphans()
    if os.getpid() == 1:
        close_to_others()
    output = Path(os.environ.get("AB_OUTPUT_DIR", ""))
    if len(sys.argv) < 2 or not os.environ.get("AB_CONFIG_JSON") or not output.is_dir():
        sys.stderr.write("entrypoint: needs a command, AB_CONFIG_JSON and an existing AB_OUTPUT_DIR\n")
        return EXIT_ENVIRONMENT
    log = (output / "train.log").open("w+b", buffering=0)
    if missing := missing_gpus():
        log.write(missing.encode() + b"\n")
        return EXIT_ENVIRONMENT
    try:
        child = subprocess.Popen(  # noqa: S603 - starting what it is given is its job
            sys.argv[1:],
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            preexec_fn=die_with_parent,  # noqa: PLW1509 - this process has one thread
        )
    except OSError as error:
        log.write(f"entrypoint: cannot start {sys.argv[1]}: {error.strerror}\n".encode())
        return EXIT_ENVIRONMENT
    signal.signal(signal.SIGTERM, lambda *_: child.terminate())
    follower = threading.Thread(target=follow, args=(child.stdout, log), daemon=True)
    follower.start()
    code = end_of(child, log)
    end_orphans()
    follower.join(LAST_WORDS_SECONDS)  # what cannot be ended may hold the command's output open for ever
    if os.getpid() == 1:
        tell_usage()
    if code:
        tell_last_words(log.fileno())
    return 128 - code if code < 0 else code


def tell_last_words(log: int) -> None:
    """Write the end of a failed command's log to stderr: the log itself may never be handed over."""
    words = os.pread(log, LAST_WORDS_BYTES, max(0, os.fstat(log).st_size - LAST_WORDS_BYTES))
    for line in words.splitlines(keepends=True):
        if PROGRESS not in line:
            sys.stderr.buffer.write(line)


if __name__ == "__main__":
    exit_code = main()
    sys.stderr.flush()
    os._exit(exit_code)  # a follower that still waits cannot be joined
