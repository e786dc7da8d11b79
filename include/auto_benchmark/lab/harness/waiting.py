"""How long a process and its descendants have waited for a processor, as Linux keeps it in ``/proc/<pid>/schedstat``."""

from __future__ import annotations

from pathlib import Path

NANOSECONDS = 1e9


def waited_s(pid: int) -> float:
    """Seconds in which threads were ready to run and other work had the processor; 0 where the kernel does not say."""
    total, left = 0.0, [pid]
    while left:
        for task in _tasks(left.pop()):
            total += _number(task / "schedstat") / NANOSECONDS
            left += [int(child) for child in _text(task / "children").split()]
    return total


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
