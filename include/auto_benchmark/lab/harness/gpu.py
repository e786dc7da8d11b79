"""Counts what a kernel executes on this machine's GPU, with Nsight Compute's command line reading the GPU's counters.

The candidate is text that the driver compiles for the GPU. It is launched by a process of its own (:mod:`~.gpu_launch`) that
holds the inputs and no right answer; the counters are read outside of the kernel's reach. A kernel that could tell one
pass of the counting from another would work in one of them alone, so special registers that tell time or place are refused.
"""

from __future__ import annotations

import csv
import ctypes
import json
import os
import re
import shutil
import signal
import subprocess
import sys
import tempfile
from contextlib import suppress
from functools import cache
from pathlib import Path
from typing import Any

from .counter import Counts
from .limits import Limits
from .wrong import MissingToolError, Wrong

LAUNCH = Path(__file__).resolve().parent / "gpu_launch.py"
DRIVERS = ("libcuda.so.1", "/usr/local/nvidia/lib64/libcuda.so.1")
PLACES = ("/usr/local/cuda/bin", "/opt/nvidia/nsight-compute/*")
"""Where Nsight Compute may lie besides ``PATH``."""
INSTRUCTIONS, SECTORS = "smsp__inst_executed.sum", "l1tex__t_sectors.sum"
"""Instructions of warps; 32-byte sectors that first-level caches are asked for, by whatever kind of access."""
STARTING_S = 30.0
"""Of the driver and of Nsight Compute, besides the kernel's own time."""
ANSWER_S = 60.0
_TELLS_TIME = re.compile(
    r"%(?:clock\w*|globaltimer\w*|pm\d+\w*|smid|nsmid|warpid|nwarpid|gridid|envreg\d+|dynamic_smem_size_\w+)\b"
)
_BEGAN = re.compile(r'^"\d+","\d+",', re.MULTILINE)
"""A line of the counter's report: a kernel was launched."""
_CALLS_OUT = re.compile(r"^\s*\.extern\s+\.func\b", re.MULTILINE)


def count(ptx: Path, stdin: bytes, output_bytes: int, limits: Limits) -> tuple[bytes, Counts]:
    """Launch a kernel once and count it; returns its output and counts, sectors as first-level misses.

    Args:
        ptx: the compiled candidate.
        stdin: its inputs.
        output_bytes: size of its result.
        limits: ``seconds`` is what the kernel may take.

    Raises:
        Wrong: it cannot be loaded or launched, fails, does not end, or may not be counted.
        MissingToolError: this machine cannot count kernels.
    """
    refuse(ptx.read_text(encoding="utf-8", errors="replace"))
    with tempfile.TemporaryDirectory(prefix="ab-lab-gpu-", ignore_cleanup_errors=True) as scratch:
        folder = Path(scratch)
        (folder / "input").write_bytes(stdin)
        (folder / "plan.json").write_text(json.dumps({"ptx": str(ptx), "output_bytes": output_bytes}))
        _run([*_command(folder), "launch", scratch], folder, STARTING_S + 2 * limits.seconds)
        report = (folder / "report").read_text(errors="replace") if (folder / "report").exists() else ""
        told = _answer(folder, report)
        if told["failed"]:
            raise Wrong(f"the kernel {told['failed']}", "runs")
        return (folder / "output").read_bytes(), parsed(report)


def refuse(ptx: str) -> None:
    """Raises Wrong when a kernel asks what the counting must not depend on."""
    if found := _TELLS_TIME.search(ptx):
        raise Wrong(f"the kernel reads {found[0]}: a kernel may not know when or where it runs", "count")
    if _CALLS_OUT.search(ptx):
        raise Wrong("the kernel calls functions that it does not hold", "count")


def parsed(report: str) -> Counts:
    """The counts of a report that holds one launch of one kernel. Raises Wrong, and MissingToolError."""
    lines = report.splitlines()
    begins = next((n for n, line in enumerate(lines) if line.startswith('"ID"')), None)
    if begins is None:
        words = next((line for line in lines if "ERR" in line or "rror" in line), lines[-1] if lines else "no report")
        raise MissingToolError("ncu", f"cannot read the GPU's counters: {words[:200]}")
    rows = [row for row in csv.DictReader(lines[begins:]) if row.get("Metric Name") in (INSTRUCTIONS, SECTORS)]
    found = {row["Metric Name"]: row["Metric Value"].replace(",", "") for row in rows}
    if len(rows) != len(found) or not all(value.isdigit() for value in found.values()):
        raise Wrong("the counter's report holds more than one launch", "count")
    if len(found) < 2:
        raise MissingToolError("ncu", f"does not know {INSTRUCTIONS} and {SECTORS} of this GPU")
    return Counts(int(found[INSTRUCTIONS]), int(found[SECTORS]))


@cache
def version() -> str:
    """Of Nsight Compute, as ``2025.3.1.0``. Raises MissingToolError."""
    told = subprocess.run([_ncu(), "--version"], capture_output=True, text=True, check=False, timeout=ANSWER_S)
    found = re.search(r"^Version (\S+)", told.stdout, re.MULTILINE)
    if found is None:
        raise MissingToolError("ncu")
    return found[1]


@cache
def name() -> str:
    """Of the first GPU, as ``NVIDIA H200``. Raises MissingToolError where there is none."""
    if not any(map(_has_driver, DRIVERS)):
        raise MissingToolError("gpu")
    line = [sys.executable, "-I", "-S", str(LAUNCH), "name"]
    told = subprocess.run(line, capture_output=True, text=True, check=False, timeout=ANSWER_S)
    if told.returncode or not told.stdout.strip():
        raise MissingToolError("gpu")
    return told.stdout.strip()


def _has_driver(library: str) -> bool:
    try:
        ctypes.CDLL(library)
    except OSError:
        return False
    return True


@cache
def _ncu() -> str:
    places = [path for place in PLACES for path in sorted(map(str, Path("/").glob(place[1:])), reverse=True)]
    found = shutil.which("ncu") or shutil.which("ncu", path=":".join(places))
    if found is None:
        raise MissingToolError("ncu")
    return found


def _command(folder: Path) -> list[str]:
    return [
        _ncu(), "--csv", "--print-units", "base", "--clock-control", "none", "--metrics", f"{INSTRUCTIONS},{SECTORS}",
        "--log-file", str(folder / "report"), sys.executable, "-I", "-S", str(LAUNCH),
    ]  # fmt: skip


def _run(command: list[str], folder: Path, seconds: float) -> None:
    """Run to its end, or stop it with all that it started. Raises Wrong when it is stopped."""
    environment = {**os.environ.copy(), "HOME": str(folder), "TMPDIR": str(folder), "CUDA_CACHE_DISABLE": "1"}
    process = subprocess.Popen(
        command, cwd=folder, env=environment, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL, start_new_session=True,
    )  # fmt: skip
    try:
        process.wait(timeout=seconds)
    except subprocess.TimeoutExpired:
        raise Wrong("the kernel does not end", "runs") from None
    finally:
        with suppress(ProcessLookupError):
            os.killpg(process.pid, signal.SIGKILL)
        process.wait()


def _answer(folder: Path, report: str) -> dict[str, Any]:
    """What the launching process said. Raises MissingToolError when it did not, and no kernel had begun."""
    try:
        told: dict[str, Any] = json.loads((folder / "answer.json").read_text())
    except (OSError, ValueError):
        if _BEGAN.search(report):
            # The counter ends the process that launched a kernel which touches memory that it does not have.
            return {"failed": "fails while it runs"}
        said = report.strip().rpartition("\n")[2][:200]
        raise MissingToolError("ncu", f"does not start a program: {said}") from None
    return told
