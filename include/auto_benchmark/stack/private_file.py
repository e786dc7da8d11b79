"""Small JSON files that one process replaces whole and others read: ports, passwords, process ids."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from auto_benchmark import atomic


def read(path: Path) -> dict[str, Any]:
    """The stored object; empty when the file is missing or was cut off."""
    try:
        stored = json.loads(path.read_text())
    except (FileNotFoundError, ValueError):
        return {}
    return stored if isinstance(stored, dict) else {}


def write(path: Path, content: dict[str, Any]) -> None:
    """Replace the file in one step; only its owner may read it, from the first byte on."""
    atomic.write_text(path, json.dumps(content, indent=1), mode=0o600)
