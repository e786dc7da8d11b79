"""Raw bytes of what was read: content-addressed and compressed, so that any score can be traced to its page."""

from __future__ import annotations

import gzip
import hashlib
from pathlib import Path

from auto_benchmark.artifacts import atomic


def keep(root: Path, content: bytes) -> str:
    """Store ``content`` once; returns its path relative to ``root``'s parent."""
    digest = hashlib.sha256(content).hexdigest()
    path = root / digest[:2] / f"{digest}.gz"
    if not path.exists():
        atomic.write_bytes(path, gzip.compress(content, mtime=0))
    return str(path.relative_to(root.parent))


def load(root: Path, uri: str) -> bytes:
    """The content stored under ``uri``. Raises FileNotFoundError."""
    return gzip.decompress((root.parent / uri).read_bytes())
