"""Opens a trial's log, which lies where the trial may write: anything else of that name is not a log."""

from __future__ import annotations

import os
import stat
from pathlib import Path
from typing import IO


def open_log(path: Path) -> IO[bytes] | None:
    """The file of this name, or None where there is none or where it is a link, a pipe, a socket, a device, a folder.

    Opening never waits for another process, as the opening of a pipe does.
    """
    try:
        descriptor = os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_NOCTTY)
    except OSError:
        return None
    if not stat.S_ISREG(os.fstat(descriptor).st_mode):
        os.close(descriptor)
        return None
    return os.fdopen(descriptor, "rb")
