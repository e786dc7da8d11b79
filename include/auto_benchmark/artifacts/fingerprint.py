"""What a trial's numbers depend on besides its configuration: code, dependencies, interpreter, hardware."""

from __future__ import annotations

import hashlib
import os
import platform
import re
import shutil
import stat
import subprocess
import sys
from collections.abc import Mapping
from functools import cache
from io import BufferedReader
from pathlib import Path, PurePosixPath

from auto_benchmark.errors import InputError

SKIPPED = {"__pycache__", ".git"}
NVIDIA_SMI_SECONDS = 30.0
MOST_FILES = 100_000
"""Of one folder: a link to a whole disk is a mistake."""
KERNELS_OWN = ("/proc", "/sys", "/dev")
"""Their files tell of the machine, or wait for it; ``/proc/kmsg`` passes for a regular file."""
LARGEST_OF_GIT = 16 * 2**20
COMMIT = re.compile(r"[0-9a-f]{40,64}")
BRANCH = re.compile(r"refs/(?!.*\.\.)[\w./+@-]+")


class UnfitCodeError(InputError):
    """A solution's folder holds what cannot be code: a device, a file of the kernel, or a whole disk."""


def environment_fingerprint(
    solution_dir: Path, *, runner: str, data_sha256: str, runner_facts: Mapping[str, str], isolation: str = "unknown"
) -> dict[str, str]:
    """Facts that make two trials comparable when they agree; ``key`` is their hash.

    ``git`` and ``isolation`` are only told: a commit that leaves code and data alone makes nothing incomparable, nor
    does a kernel that confines more.

    Args:
        solution_dir: folder of the solution.
        runner: name of the runner.
        data_sha256: checksum of the benchmark's data.
        runner_facts: what the runner adds, e.g. the digest of the image.
        isolation: what the runner keeps a trial from, and what it does not, in words.
    """
    facts = {
        "runner": runner,
        "python": platform.python_version(),
        "machine": platform.machine(),
        "cpu": _cpu_model(),
        "code": folder_sha256(solution_dir),
        "gpu": gpus(),
        "lock": file_sha256(solution_dir / "requirements.lock"),
        "data": data_sha256,
        **runner_facts,
    }
    text = "\n".join(f"{name}={value}" for name, value in sorted(facts.items()))
    told = {"git": git_commit(solution_dir), "isolation": isolation}
    return {**facts, **told, "key": hashlib.sha256(text.encode()).hexdigest()[:16]}


def folder_sha256(folder: Path) -> str:
    """Checksum over names and contents of a folder's :func:`code_files`; 16 hex digits."""
    digest = hashlib.sha256()
    for name, path in code_files(folder):
        digest.update(f"{name}\0{file_sha256(path)}\n".encode())
    return digest.hexdigest()[:16]


def code_files(folder: Path) -> list[tuple[PurePosixPath, Path]]:
    """Every file that may be run as a folder's code: name below the folder and where it lies, by name.

    Folders that links point to are looked into; what Python and git keep for themselves is left out, so it may not be
    run either. Pipes, sockets and devices are left out too.

    Raises:
        UnfitCodeError: a link leads to the kernel's own files, or there are too many.
    """
    found: list[tuple[PurePosixPath, Path]] = []
    waiting: list[tuple[PurePosixPath, Path, tuple[Path, ...]]] = [(PurePosixPath(), folder, (folder.resolve(),))]
    while waiting:
        below, place, above = waiting.pop()
        for path in place.iterdir():
            if path.name in SKIPPED:
                continue
            if path.is_file():
                _refuse_the_kernels(path)
                found.append((below / path.name, path))
                if len(found) > MOST_FILES:
                    raise UnfitCodeError(f"{folder}: more than {MOST_FILES} files of code")
            elif path.is_dir() and (inside := path.resolve()) not in above:  # a link upwards would never end
                _refuse_the_kernels(path)
                waiting.append((below / path.name, path, (*above, inside)))
    return sorted(found)


def open_regular(path: Path) -> BufferedReader:
    """Open a regular file that is not the kernel's own; never waits for anybody. Raises UnfitCodeError or OSError."""
    descriptor = os.open(path, os.O_RDONLY | os.O_NONBLOCK)
    status = os.fstat(descriptor)
    if not stat.S_ISREG(status.st_mode) or status.st_dev in _kernels_devices():
        os.close(descriptor)
        raise UnfitCodeError(f"{path}: is not a regular file")
    return open(descriptor, "rb")  # noqa: PTH123 - a descriptor


def _refuse_the_kernels(path: Path) -> None:
    if path.stat().st_dev in _kernels_devices():
        raise UnfitCodeError(f"{path}: leads to {path.resolve()}, which is the kernel's and no code")


@cache
def _kernels_devices() -> set[int]:
    mounted = {Path(place).stat().st_dev for place in KERNELS_OWN if Path(place).is_dir()}
    return mounted - {Path("/").stat().st_dev}  # where nothing is mounted they are ordinary folders


def file_sha256(path: Path) -> str:
    """Checksum of a file, 16 hex digits; ``absent`` where there is none."""
    if not path.is_file():
        return "absent"
    with open_regular(path) as file:
        return hashlib.file_digest(file, "sha256").hexdigest()[:16]


@cache
def _cpu_model() -> str:
    if sys.platform == "linux":
        for line in Path("/proc/cpuinfo").read_text(encoding="utf-8", errors="replace").splitlines():
            if line.startswith("model name"):
                return line.split(":", 1)[1].strip()
    return platform.processor() or "unknown"


def git_commit(folder: Path) -> str:
    """The commit that is checked out around ``folder``; ``none`` outside of a repository.

    Read from git's own files: a task may run where no git is installed. They may be anybody's, and what is told is shown:
    nothing but a commit's name is taken from them.
    """
    for parent in (folder.resolve(), *folder.resolve().parents):
        git = parent / ".git"
        if git.exists():
            return _head(git) or "none"
    return "none"


def _head(git: Path) -> str | None:
    try:
        if git.is_file():  # a worktree: "gitdir: <path>"
            git = (git.parent / _of_git(git).partition(":")[2].strip()).resolve()
        head = _of_git(git / "HEAD")
        ref = head.removeprefix("ref: ")
        if ref == head:
            return _commit(head)
        if not BRANCH.fullmatch(ref):
            return None
        shared = git / "commondir"
        common = (git / _of_git(shared)).resolve() if shared.is_file() else git
        if (common / ref).is_file():
            return _commit(_of_git(common / ref))
        packed = _of_git(common / "packed-refs").splitlines()
        return next((_commit(line.split()[0]) for line in packed if line.endswith(f" {ref}")), None)
    except (OSError, ValueError, UnfitCodeError):
        return None


def _of_git(path: Path) -> str:
    with open_regular(path) as file:
        return file.read(LARGEST_OF_GIT).decode().strip()


def _commit(text: str) -> str | None:
    return text[:16] if COMMIT.fullmatch(text) else None


@cache
def gpus() -> str:
    """Models of this machine's NVIDIA devices with driver and CUDA version, as ``nvidia-smi`` tells; else ``none``."""
    program = shutil.which("nvidia-smi")
    if program is None:
        return "none"
    asked = subprocess.run(  # noqa: S603 - the path is the one that was looked up
        [program, "-q"], capture_output=True, text=True, check=False, timeout=NVIDIA_SMI_SECONDS
    )
    told = dict[str, list[str]]()
    for line in asked.stdout.splitlines():
        name, colon, value = line.partition(" : ")
        if colon and (value := value.strip()):
            told.setdefault(name.strip(), []).append(value)
    models = told.get("Product Name")
    if asked.returncode != 0 or not models:
        return "none"
    driver, cuda = (told.get(name, ["unknown"])[0] for name in ("Driver Version", "CUDA Version"))
    return f"{', '.join(models)}; driver {driver}, CUDA {cuda}"
