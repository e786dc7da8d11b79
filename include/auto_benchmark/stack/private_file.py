"""Small JSON files that one process replaces whole and others read: ports, passwords, process ids."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any


def read(path: Path) -> dict[str, Any]:
    """The stored object; empty when the file is missing or was cut off."""
    try:
        stored = json.loads(path.read_text())
    except (FileNotFoundError, ValueError):
        return {}
    return stored if isinstance(stored, dict) else {}


def write(path: Path, content: dict[str, Any]) -> None:
    """Replace the file in one step; only its owner may read it, from the first byte on."""
    new = path.with_name(path.name + ".new")
    new.unlink(missing_ok=True)
    descriptor = os.open(new, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    with os.fdopen(descriptor, "w") as file:
        json.dump(content, file, indent=1)
        file.flush()
        os.fsync(file.fileno())
    new.replace(path)
