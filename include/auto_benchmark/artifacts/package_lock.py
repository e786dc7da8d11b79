"""Writes the hashes of a solution's lock: what its entries are on this machine, and what they need.

pip resolves and names each wheel with its hash; nothing is installed. The lock holds for this platform and Python; one
for several is what ``uv pip compile --generate-hashes`` writes.
"""

from __future__ import annotations

import json
import sys
import sysconfig
import tempfile
from pathlib import Path
from typing import Any

from auto_benchmark import atomic
from auto_benchmark.artifacts.packages import LOCK, read_lock, run_pip
from auto_benchmark.errors import InputError


def write_hashes(folder: Path, *, wheels: Path | None = None) -> list[str]:
    """Complete the lock of a solution in place.

    Args:
        folder: of the solution.
        wheels: a directory of wheels to take instead of asking a package index.

    Returns:
        The entries, as in ``numpy==2.4.6``.

    Raises:
        ConfigError: a line of the lock is no pinned package.
        InputError: it pins nothing, or pip finds no wheels for it.
    """
    lock = folder / LOCK
    pinned = [entry.text for entry in read_lock(folder)]
    if not pinned:
        raise InputError(f"{lock}: pins no package: write name==version, a line each")
    found = sorted((_entry(lock, each) for each in _resolved(lock, pinned, wheels)), key=lambda each: each[0].lower())
    version = ".".join(map(str, sys.version_info[:2]))
    head = f"# For {sysconfig.get_platform()}, Python {version}; of {', '.join(pinned)} by `auto-benchmark doctor --lock`.\n"
    atomic.write_text(lock, head + "".join(f"{text} \\\n    --hash=sha256:{digest}\n" for text, digest in found))
    return [text for text, _ in found]


def _resolved(lock: Path, pinned: list[str], wheels: Path | None) -> list[dict[str, Any]]:
    with tempfile.NamedTemporaryFile("w", suffix=".txt", encoding="utf-8") as names:
        names.write("\n".join(pinned) + "\n")
        names.flush()
        arguments = ["install", "--dry-run", "--ignore-installed", "--report", "-", "-r", names.name]
        said = run_pip(arguments, lock, wheels, "resolve")
    report: dict[str, Any] = json.loads(said)
    return list(report["install"])


def _entry(lock: Path, found: dict[str, Any]) -> tuple[str, str]:
    """Name and version, and the hash of the wheel."""
    about = found["metadata"]
    text = f"{about['name']}=={about['version']}"
    digest = found["download_info"].get("archive_info", {}).get("hashes", {}).get("sha256")
    if digest is None:
        raise InputError(f"{lock}: the index names no SHA-256 of {text}; `--wheels DIR` takes it from a directory")
    return text, digest
