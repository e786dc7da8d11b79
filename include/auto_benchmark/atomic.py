"""Files that are either the old or the new one, whatever is killed in between."""

from __future__ import annotations

import contextlib
import errno
import os
import tempfile
from collections.abc import Iterator
from pathlib import Path

TURNS = 10
"""Of a process that puts a directory where others put theirs."""


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


@contextlib.contextmanager
def replaced_directory(path: Path) -> Iterator[Path]:
    """Fill a directory aside and move it to ``path`` when complete, in place of what is there; the last one stays.

    Killed between both moves, nothing is at ``path``. A link there is replaced, and not followed.
    """
    path.parent.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(dir=path.parent, prefix=f".{path.name}.", ignore_cleanup_errors=True) as aside:
        filled = Path(aside) / "filled"
        filled.mkdir()
        yield filled
        for turn in range(TURNS):
            with contextlib.suppress(FileNotFoundError):
                path.rename(Path(aside) / f"before-{turn}")
            try:
                filled.rename(path)
            except OSError as error:  # another process may have put its own there meanwhile
                if error.errno not in (errno.ENOTEMPTY, errno.EEXIST) or turn == TURNS - 1:
                    raise
            else:
                return
