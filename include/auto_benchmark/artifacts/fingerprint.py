"""What a trial's numbers depend on besides its configuration: code, dependencies, interpreter, hardware."""

from __future__ import annotations

import hashlib
import platform
import sys
from collections.abc import Mapping
from functools import cache
from pathlib import Path

SKIPPED = {"__pycache__", ".git"}


def environment_fingerprint(
    solution_dir: Path, *, runner: str, data_sha256: str, runner_facts: Mapping[str, str]
) -> dict[str, str]:
    """Facts that make two trials comparable when they agree; ``key`` is their hash.

    Args:
        solution_dir: folder of the solution.
        runner: name of the runner.
        data_sha256: checksum of the benchmark's data.
        runner_facts: what the runner adds, e.g. the digest of the image.
    """
    facts = {
        "runner": runner,
        "python": platform.python_version(),
        "machine": platform.machine(),
        "cpu": _cpu_model(),
        "code": folder_sha256(solution_dir),
        "lock": _sha256(solution_dir / "requirements.lock"),
        "data": data_sha256,
        **runner_facts,
    }
    text = "\n".join(f"{name}={value}" for name, value in sorted(facts.items()))
    return {**facts, "key": hashlib.sha256(text.encode()).hexdigest()[:16]}


def folder_sha256(folder: Path) -> str:
    """Checksum over names and contents of a folder's files, caches left out; 16 hex digits."""
    digest = hashlib.sha256()
    for path in sorted(folder.rglob("*")):
        if path.is_file() and not SKIPPED & set(path.parts):
            digest.update(f"{path.relative_to(folder)}\0{_sha256(path)}\n".encode())
    return digest.hexdigest()[:16]


def _sha256(path: Path) -> str:
    return hashlib.sha256(path.read_bytes()).hexdigest()[:16] if path.is_file() else "absent"


@cache
def _cpu_model() -> str:
    if sys.platform == "linux":
        for line in Path("/proc/cpuinfo").read_text(encoding="utf-8", errors="replace").splitlines():
            if line.startswith("model name"):
                return line.split(":", 1)[1].strip()
    return platform.processor() or "unknown"
