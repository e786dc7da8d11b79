"""Counts what a program executes with Valgrind's cachegrind, so that the program cannot forge its count.

Valgrind shares a process with what it runs, so its report is never a file that the program could open. It goes through a
socket pair whose end is among the descriptors that Valgrind refuses to the program; a socket cannot be opened again
through ``/proc``. The report must then be exactly what one run of one process writes: a second beginning (the program
became another one), a second summary or any line besides is a refusal, and processes cannot be started. Left open is
the memory that both share: a program that overwrites Valgrind's own counters is caught by the floors alone, the task's
and that of processor time.
"""

from __future__ import annotations

import os
import re
import shutil
import socket
import subprocess
from collections.abc import Iterator, Sequence
from contextlib import closing
from functools import cache
from pathlib import Path
from typing import NamedTuple

from . import confined, launch
from .limits import Limits
from .wrong import MissingToolError, Wrong

GEOMETRY = ("--I1=32768,8,64", "--D1=32768,8,64", "--LL=1048576,16,64")
"""Size in bytes, associativity, line size of the simulated caches, the same on every machine."""
L1_COST, LL_COST = 10, 100
MOST_INSTRUCTIONS = 2_000_000_000
MAGIC = bytes.fromhex("48c1c703 48c1c70d 48c1c73d 48c1c733")
"""``rol $3, $13, $61, $51, %rdi``: how a program on x86-64 speaks to Valgrind (``valgrind.h``)."""
SLOWEST_PER_SECOND = 4e6
START_SECONDS = 3.0
"""A count below ``SLOWEST_PER_SECOND`` times the processor seconds beyond these cannot be: cachegrind is faster than that
on any machine (measured: 20 to 150 million instructions a second)."""
LARGEST_REPORT = 1 << 16
FIRST_LIBRARIES = {"LD_LIBRARY_PATH": f"/lib/{os.uname().machine}-linux-gnu"}
"""The loader finds a program's libraries there at once. In ``ld.so.cache`` it would search, which takes more or fewer
instructions by what else is installed on the machine (measured: 404 of them came with a package)."""
_BANNER = re.compile(r"Cachegrind, a (?:high-precision tracing profiler|cache and branch-prediction profiler)$")
_HEAD = re.compile(r"(?:Copyright \(C\) .*|Using Valgrind-.*|Command: .*)?$")
_WARNING = re.compile(r"--\d+-- warning: (?:L3 cache found|specified LL cache|simulated LL cache|.* cache: ).*$")
_SUMMARY = re.compile(r"(I|I1|LLi|D|D1|LLd|LL|Branches|Mispred\w*) +(refs|misses|miss rate): +([\d,.%]+).*$")
_FIELDS = {("I", "refs"): "instructions", ("I1", "misses"): "i1", ("D1", "misses"): "d1", ("LL", "misses"): "ll",
           ("D", "refs"): "data"}  # fmt: skip


class Counts(NamedTuple):
    """What was counted.

    Attributes:
        instructions: executed.
        misses_l1: of both first-level caches; 0 where caches are not simulated.
        misses_ll: of the last-level cache.
        data: reads and writes of memory.
    """

    instructions: int
    misses_l1: int = 0
    misses_ll: int = 0
    data: int = 0

    @property
    def with_misses(self) -> int:
        """Instructions + 10 x L1 misses + 100 x LL misses."""
        return self.instructions + L1_COST * self.misses_l1 + LL_COST * self.misses_ll


def valgrind() -> str:
    """The program. Raises MissingToolError."""
    found = shutil.which("valgrind", path=confined.ENVIRONMENT["PATH"])
    if found is None:
        raise MissingToolError("valgrind")
    return found


def command_line(program: Sequence[str], *, caches: bool) -> list[str]:
    """The program under cachegrind, reporting to the reserved descriptor."""
    simulation = ("--cache-sim=yes", *GEOMETRY) if caches else ("--cache-sim=no",)
    return [
        valgrind(), "--tool=cachegrind", *simulation, "--vgdb=no", "--trace-children=yes", "--error-limit=no",
        "--cachegrind-out-file=/dev/null", f"--log-fd={launch.RESERVED}", *program,
    ]  # fmt: skip


def count(
    program: Sequence[str], *, folder: Path, stdin: bytes, limits: Limits, user: int | None, caches: bool,
    readable: Sequence[str] = (),
) -> tuple[confined.Ended, Counts]:  # fmt: skip
    """Run a program to its end and count it.

    Args:
        program: command line, relative to ``folder``, so that its length is the same everywhere.
        folder: working directory, which it may read.
        stdin: its input.
        limits: what it may use.
        user: that it runs as.
        caches: whether caches are simulated.
        readable: paths besides.

    Raises:
        Wrong: it did not end well, or its count cannot be trusted.
        MissingToolError: there is no Valgrind.
    """
    ours, theirs = socket.socketpair()
    with closing(ours), closing(theirs):
        ours.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, LARGEST_REPORT)
        ended = confined.run(
            command_line(program, caches=caches), folder=folder, limits=limits, user=user, stdin=stdin,
            readable=readable, socket=theirs.fileno(), environment=FIRST_LIBRARIES,
        )  # fmt: skip
        theirs.close()
        report = b"".join(_received(ours))
    refuse_bad_end(ended)
    counts = parsed(report)
    if counts.instructions > MOST_INSTRUCTIONS:
        raise Wrong(f"executed {counts.instructions:,} instructions of {MOST_INSTRUCTIONS:,}", "count")
    if counts.instructions < SLOWEST_PER_SECOND * (ended.cpu_s - START_SECONDS):
        raise Wrong(
            f"{counts.instructions:,} instructions in {ended.cpu_s:.1f} s of processor time: the count is not true",
            "count",
        )
    return ended, counts


def refuse_bad_end(ended: confined.Ended) -> None:
    """Raises Wrong when a command was stopped or failed."""
    if ended.stopped:
        raise Wrong(ended.stopped, "runs")
    if ended.code:
        words = [line for line in ended.error.splitlines() if line.strip()]
        raise Wrong(f"exit code {ended.code}{': ' + words[-1][:200] if words else ''}", "runs")


def parsed(report: bytes) -> Counts:
    """The counts of a report that holds one run of one process and nothing else. Raises Wrong."""
    found: dict[str, int] = {}
    process, begun = None, False
    for line in report.decode("utf-8", "replace").splitlines():
        named = re.match(r"(?:==|--)(\d+)(?:==|--)(?: (.*))?$", line)
        if named is None or named[1] != (process or named[1]):
            raise Wrong("the counter's report holds something that the counter does not write", "count")
        process, text = named[1], named[2] or ""
        summary = _SUMMARY.match(text)
        if _BANNER.match(text):
            if begun:
                raise Wrong("became another program: what it did before would not be counted", "count")
            begun = True
        elif summary and begun:
            key = _FIELDS.get((summary[1], summary[2]))
            if key in found:
                raise Wrong("the counter's report holds two summaries", "count")
            if key:
                found[key] = int(summary[3].replace(",", ""))
        elif not ((_HEAD.match(text) and not found) or _WARNING.match(line) or not text):
            raise Wrong("the counter's report holds something that the counter does not write", "count")
    if not begun or "instructions" not in found:
        raise Wrong("ended without being counted", "count")
    return Counts(
        found["instructions"], found.get("i1", 0) + found.get("d1", 0), found.get("ll", 0), found.get("data", 0)
    )


def refuse_magic(folder: Path) -> None:
    """Raises Wrong when a built file speaks to Valgrind."""
    for path in sorted(folder.rglob("*")):
        if path.is_file() and not path.is_symlink() and MAGIC in path.read_bytes():
            raise Wrong(f"{path.name} holds Valgrind's client requests", "count")


@cache
def version() -> str:
    """Of Valgrind, as ``3.19.0``. Raises MissingToolError."""
    told = subprocess.run([valgrind(), "--version"], capture_output=True, text=True, check=True, timeout=30)
    return told.stdout.strip().removeprefix("valgrind-")


def _received(ours: socket.socket) -> Iterator[bytes]:
    ours.setblocking(False)
    while True:
        try:
            chunk = ours.recv(LARGEST_REPORT)
        except BlockingIOError:
            return
        if not chunk:
            return
        yield chunk
