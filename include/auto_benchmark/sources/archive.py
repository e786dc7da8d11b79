"""Raw bytes of every changed snapshot, content-addressed and compressed: any score can be traced to its page."""

from __future__ import annotations

import gzip
import hashlib
from pathlib import Path

from auto_benchmark import atomic


class RawArchive:
    """Files named by the SHA-256 of what they hold.

    Args:
        root: directory; made on first use.
    """

    def __init__(self, root: Path) -> None:
        self._root = root

    def put(self, content: bytes) -> str:
        """Keep the bytes and return their SHA-256. Keeping the same bytes twice is free."""
        digest = hashlib.sha256(content).hexdigest()
        target = self._path(digest)
        if target.exists():
            return digest
        atomic.write_bytes(target, gzip.compress(content, mtime=0))
        return digest

    def get(self, digest: str) -> bytes:
        """The bytes again.

        Raises:
            KeyError: never kept, or pruned.
            ValueError: the file no longer holds what its name says.
        """
        try:
            content = gzip.decompress(self._path(digest).read_bytes())
        except FileNotFoundError:
            raise KeyError(digest) from None
        except (OSError, EOFError) as error:
            raise ValueError(f"archived snapshot {digest} is damaged: {error}") from None
        if hashlib.sha256(content).hexdigest() != digest:
            raise ValueError(f"archived snapshot {digest} is damaged")
        return content

    def _path(self, digest: str) -> Path:
        if len(digest) != 64 or not digest.isalnum():
            raise KeyError(digest)
        return self._root / digest[:2] / f"{digest}.gz"
