"""Files that are either the old or the new one, whatever is killed in between."""

from __future__ import annotations

import contextlib
import os
import tempfile
from collections.abc import Iterator
from pathlib import Path


def write_text(path: Path, text: str, *, mode: int = 0o644) -> None:
    """Write ``path`` through a temporary file in its directory and a rename; creates missing parents."""
    write_bytes(path, text.encode("utf-8"), mode=mode)


def write_bytes(path: Path, content: bytes, *, mode: int = 0o644) -> None:
    """Write ``path`` through a temporary file in its directory and a rename; creates missing parents."""
    path.parent.mkdir(parents=True, exist_ok=True)
    descriptor, name = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name}.")
    try:
        with os.fdopen(descriptor, "wb") as file:
            file.write(content)
            file.flush()
            os.fsync(file.fileno())
        Path(name).chmod(mode)
        Path(name).replace(path)
    except BaseException:
        Path(name).unlink(missing_ok=True)
        raise


@contextlib.contextmanager
def new_directory(path: Path) -> Iterator[Path]:
    """Fill a directory aside and move it to ``path`` when complete; if another process was faster, its one stays."""
    path.parent.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(dir=path.parent, prefix=f".{path.name}.", ignore_cleanup_errors=True) as aside:
        filled = Path(aside) / "filled"
        filled.mkdir()
        yield filled
        try:
            filled.rename(path)
        except OSError:
            if not path.is_dir():
                raise
