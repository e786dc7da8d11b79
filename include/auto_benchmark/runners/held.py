"""What processes hold in memory, seen from outside: for machines where no control group counts it."""

from __future__ import annotations

import contextlib
import os
from pathlib import Path

OPEN_FILE_BYTES = 1024
"""What the kernel keeps for an open file at most, whatever is in it."""
PIPE_BYTES = 65_536
"""As much as a pipe holds that may not be made larger."""
WATCHED_FILE_BYTES = 256
"""What the kernel keeps for each file that an ``epoll(7)`` instance watches, at most; it may watch all that are open."""
MOST_LOOKED_AT, UNSEEN_FILE_BYTES = 8192, 2**18
"""Open files of which one look asks what they are, so that it ends soon; each of the others is taken for a full socket."""
IN_MEMORY = (b"VmRSS:", b"VmSwap:", b"VmPTE:", b"HugetlbPages:")
"""Pages, also swapped out and huge ones, and the tables that lead to them; a page that is only read costs a table alone."""


class Held:
    """One look at some processes.

    Attributes:
        memory: bytes of their pages and of what the kernel keeps for their open files, without what waits in sockets.
        sockets: inodes of their sockets.
        is_hidden: one of them does not let its open files be seen.
    """

    def __init__(self) -> None:
        self.memory = 0
        self.sockets = set[int]()
        self.is_hidden = False
        self._pipes = set[str]()
        self._looked_at = 0

    def look(self, process: int, *, is_ours: bool = False) -> None:
        """Add a process. One that has ended holds nothing.

        Args:
            process: its number.
            is_ours: part of the confinement, which may close itself to others.
        """
        place = Path(f"/proc/{process}")
        pages = _in_memory(place)
        if pages is None:  # its first thread may have ended before the others, which keep everything
            for task in _listed(place / "task"):
                if (pages := _in_memory(place / "task" / task)) is not None:
                    place = place / "task" / task
                    break
        self.memory += pages or 0
        try:
            descriptors = os.listdir(place / "fd")  # noqa: PTH208 - names alone
        except PermissionError:  # also of a process that is just ending and has no pages any more
            self.is_hidden |= pages is not None and not is_ours
            return
        except OSError:
            return
        looked_at = descriptors[: max(0, MOST_LOOKED_AT - self._looked_at)]
        self._looked_at += len(looked_at)
        self.memory += OPEN_FILE_BYTES * len(looked_at) + UNSEEN_FILE_BYTES * (len(descriptors) - len(looked_at))
        for descriptor in looked_at:
            with contextlib.suppress(OSError):
                what = os.readlink(place / "fd" / descriptor)  # noqa: PTH115 - it leads nowhere
                self._open_file(what, others=len(descriptors) - 1)

    def _open_file(self, what: str, *, others: int) -> None:
        kind, _, rest = what.partition(":[")
        if kind == "pipe" and what not in self._pipes:
            self._pipes.add(what)
            self.memory += PIPE_BYTES
        elif kind == "socket":
            self.sockets.add(int(rest.rstrip("]")))
        elif what == "anon_inode:[eventpoll]":
            self.memory += WATCHED_FILE_BYTES * others


def _in_memory(place: Path) -> int | None:
    """Bytes; None of what has ended.

    Lines end at newlines alone, which the kernel writes out in a process's name: the name is the trial's, and may hold
    whatever else some call the end of a line.
    """
    try:
        lines = (place / "status").read_bytes().split(b"\n")
    except OSError:
        return None
    found = [int(line.split()[1]) for line in lines if line.startswith(IN_MEMORY)]
    return 1024 * sum(found) if found else None


def _listed(folder: Path) -> list[str]:
    try:
        return os.listdir(folder)  # noqa: PTH208 - names alone
    except OSError:
        return []
