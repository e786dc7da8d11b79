"""Who says what an attempt is worth: a task's own sealed verifier, or that of a task from elsewhere."""

from __future__ import annotations

from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path
from typing import Protocol

from auto_benchmark.lab.check import skipped
from auto_benchmark.lab.machine import machine
from auto_benchmark.lab.task import Task
from auto_benchmark.lab.verification import TaskVerdict, verify


class Judge(Protocol):
    """Verifies candidates of one task."""

    def refusal(self) -> str | None:
        """Why nothing can be verified on this machine; None where it can."""
        ...

    def digest(self) -> str:
        """Hash of what a task's results depend on: its given files and its verifier."""
        ...

    def verify(self, candidate: Path) -> TaskVerdict:
        """Verify the editable files of a folder, on inputs drawn anew where the verifier draws any."""
        ...


@dataclass(frozen=True, slots=True)
class Sealed:
    """The verifier of a task of the laboratory."""

    task: Task

    def refusal(self) -> str | None:
        """See the protocol."""
        return skipped(self.task, machine())

    def digest(self) -> str:
        """See the protocol; the anchors count too."""
        task = self.task
        return hash_of(task.folder, task.environment, task.tests, task.folder / "task.toml")

    def verify(self, candidate: Path) -> TaskVerdict:
        """See the protocol."""
        return verify(self.task, candidate)


def hash_of(folder: Path, *parts: Path) -> str:
    """Of the names and contents of all files of some parts of a folder."""
    state = sha256()
    for part in parts:
        for file in sorted(part.rglob("*")) if part.is_dir() else [part]:
            if file.is_file() and "__pycache__" not in file.parts:
                state.update(f"{file.relative_to(folder)}\0".encode() + sha256(file.read_bytes()).digest())
    return state.hexdigest()[:16]
