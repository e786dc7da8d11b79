"""How long a process and its descendants have waited for a processor, as Linux keeps it in ``/proc/<pid>/schedstat``."""

from __future__ import annotations

from pathlib import Path

NANOSECONDS = 1e9


class Waiting:
    """Seconds in which threads were ready to run and other work had the processor.

    What a thread waited is gone from ``/proc`` when it ends, so that one has to look now and then.

    Args:
        pid: of the process.
    """

    def __init__(self, pid: int) -> None:
        self._pid = pid
        self._seen: dict[Path, float] = {}

    def seconds(self) -> float:
        """Of all threads that were seen so far, as far as they were seen; 0 where the kernel does not say."""
        left = [self._pid]
        while left:
            for task in _tasks(left.pop()):
                self._seen[task] = max(self._seen.get(task, 0.0), _number(task / "schedstat") / NANOSECONDS)
                left += [int(child) for child in _text(task / "children").split()]
        return sum(self._seen.values())


def _tasks(pid: int) -> list[Path]:
    try:
        return list(Path(f"/proc/{pid}/task").iterdir())
    except OSError:  # it has ended meanwhile
        return []


def _number(file: Path) -> int:
    """The second field: time on a run queue."""
    fields = _text(file).split()
    return int(fields[1]) if len(fields) > 1 else 0


def _text(file: Path) -> str:
    try:
        return file.read_text(encoding="ascii")
    except OSError:
        return ""
