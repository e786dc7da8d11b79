"""Answers on disk, one file each: the same question is never paid for twice."""

from __future__ import annotations

from collections.abc import Iterator, MutableMapping
from pathlib import Path

from auto_benchmark import atomic


class DirectoryCache(MutableMapping[str, str]):
    """A mapping whose values are files of one directory. Keys are digests, so they are file names.

    Args:
        directory: created with the first answer.
    """

    def __init__(self, directory: Path) -> None:
        self._directory = directory

    def __getitem__(self, key: str) -> str:
        try:
            return self._file(key).read_text(encoding="utf-8")
        except OSError:
            raise KeyError(key) from None

    def __setitem__(self, key: str, value: str) -> None:
        atomic.write_bytes(self._file(key), value.encode("utf-8", "replace"), mode=0o600)

    def __delitem__(self, key: str) -> None:
        self._file(key).unlink()

    def __iter__(self) -> Iterator[str]:
        files = sorted(self._directory.glob("*.json")) if self._directory.is_dir() else []
        return (file.stem for file in files)

    def __len__(self) -> int:
        return sum(1 for _ in self)

    def _file(self, key: str) -> Path:
        if not key.isalnum():
            raise KeyError(key)
        return self._directory / f"{key}.json"
