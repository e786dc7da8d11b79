"""What a trial's numbers depend on besides its configuration: code, dependencies, interpreter, hardware."""

from __future__ import annotations

import hashlib
import platform
import shutil
import subprocess
import sys
from collections.abc import Mapping
from functools import cache
from pathlib import Path, PurePosixPath

SKIPPED = {"__pycache__", ".git"}
NVIDIA_SMI_SECONDS = 30.0


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
    run either.
    """
    found: list[tuple[PurePosixPath, Path]] = []
    waiting: list[tuple[PurePosixPath, Path, tuple[Path, ...]]] = [(PurePosixPath(), folder, (folder.resolve(),))]
    while waiting:
        below, place, above = waiting.pop()
        for path in place.iterdir():
            if path.name in SKIPPED:
                continue
            if path.is_file():
                found.append((below / path.name, path))
            elif path.is_dir() and (inside := path.resolve()) not in above:  # a link upwards would never end
                waiting.append((below / path.name, path, (*above, inside)))
    return sorted(found)


def file_sha256(path: Path) -> str:
    """Checksum of a file, 16 hex digits; ``absent`` where there is none."""
    return hashlib.sha256(path.read_bytes()).hexdigest()[:16] if path.is_file() else "absent"


@cache
def _cpu_model() -> str:
    if sys.platform == "linux":
        for line in Path("/proc/cpuinfo").read_text(encoding="utf-8", errors="replace").splitlines():
            if line.startswith("model name"):
                return line.split(":", 1)[1].strip()
    return platform.processor() or "unknown"


def git_commit(folder: Path) -> str:
    """The commit that is checked out around ``folder``; ``none`` outside of a repository.

    Read from git's own files: a task may run where no git is installed.
    """
    for parent in (folder.resolve(), *folder.resolve().parents):
        git = parent / ".git"
        if git.exists():
            return _head(git) or "none"
    return "none"


def _head(git: Path) -> str | None:
    try:
        if git.is_file():  # a worktree: "gitdir: <path>"
            git = (git.parent / git.read_text(encoding="utf-8").partition(":")[2].strip()).resolve()
        head = (git / "HEAD").read_text(encoding="utf-8").strip()
        if not head.startswith("ref: "):
            return head[:16]
        ref = head.removeprefix("ref: ")
        shared = git / "commondir"
        common = (git / shared.read_text(encoding="utf-8").strip()).resolve() if shared.is_file() else git
        if (common / ref).is_file():
            return (common / ref).read_text(encoding="utf-8").strip()[:16]
        packed = (common / "packed-refs").read_text(encoding="utf-8").splitlines()
        return next((line.split()[0][:16] for line in packed if line.endswith(f" {ref}")), None)
    except OSError:
        return None


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
