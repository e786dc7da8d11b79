"""How long a trial's tasks were ready to run and had no processor: what a busy machine withheld from it.

A program that works until a moment passes takes whatever processor time it gets: little on a busy machine, much on a
quiet one. What it got plus what it waited for is what it can have wanted, however busy the machine was.
"""

from __future__ import annotations

import contextlib
import os
from collections.abc import Iterable
from pathlib import Path

from auto_benchmark.runners.cgroup import waited_s

UNSEEN_S = 0.1
"""Processor time of tasks that no look has seen, from which on their waiting may not be taken for nothing."""


class Waiting:
    """Looks at a trial's tasks now and then, and remembers what the kernel says about each.

    Without control groups of version 2 only these looks count what the trial waited for. A task that begins and ends
    between two of them would hide, so that where many did, all that anything on this machine waited for counts.

    Args:
        machine: file of the whole machine's processor pressure.
    """

    def __init__(self, machine: Path = Path("/proc/pressure/cpu")) -> None:
        self._machine, self._before = machine, waited_s(machine)
        self._ran, self._waited = dict[str, float](), dict[str, float]()
        self._gone_ran = self._gone_waited = 0.0

    def look(self, processes: Iterable[int]) -> None:
        """Note how long every task of these processes has run and waited."""
        for process in processes:
            for task in _tasks(process):
                with contextlib.suppress(OSError, ValueError, IndexError):
                    numbers = (task / "schedstat").read_text(encoding="ascii").split()
                    self._note(task.name, int(numbers[0]) / 1e9, int(numbers[1]) / 1e9)

    def _note(self, task: str, ran: float, waited: float) -> None:
        if ran < self._ran.get(task, 0.0):  # the number belongs to a new task now
            self._gone_ran += self._ran[task]
            self._gone_waited += self._waited[task]
        self._ran[task], self._waited[task] = ran, waited

    def cpu_at_most_s(self, cpu_s: float, wall_s: float, *, counted_s: float | None) -> float | None:
        """Processor time that the trial can have wanted.

        Args:
            cpu_s: what it got.
            wall_s: how long it lasted.
            counted_s: what the kernel counted as its waiting; None where it does not.

        Returns:
            At most what all processors give in that time; None where the kernel says nothing about waiting.
        """
        if counted_s is None and not self._waited:
            return None
        waited = self._gone_waited + sum(self._waited.values())
        if counted_s is not None:
            waited = max(waited, counted_s)
        elif cpu_s - self._gone_ran - sum(self._ran.values()) > UNSEEN_S:
            waited = max(waited, self._of_machine(wall_s))
        return max(cpu_s, min(cpu_s + waited, len(os.sched_getaffinity(0)) * wall_s))

    def _of_machine(self, wall_s: float) -> float:
        now = waited_s(self._machine)
        return wall_s if now is None or self._before is None else min(wall_s, now - self._before)


def _tasks(process: int) -> list[Path]:
    try:
        return list(Path(f"/proc/{process}/task").iterdir())
    except OSError:
        return []
