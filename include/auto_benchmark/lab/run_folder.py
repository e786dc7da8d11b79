"""The folder of one run; one process works in it at a time, and whatever is killed goes on from here.

run.json             the plan, the task's digest and the run's own seed
trajectory/<n>.*     each attempt's patch, how it ended, every call of the measure command: a ``replay:DIR``
state/<n>/           the workspace as attempt n left it
measures.jsonl       calls of the measure command as they happen, those of killed tries among them
attempts.jsonl       one line per finished attempt
result.json          the result, once the run is over
"""

from __future__ import annotations

import json
import secrets
from collections.abc import Mapping
from contextlib import AbstractContextManager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, ClassVar

from pydantic import ConfigDict, TypeAdapter

from auto_benchmark import atomic, trees
from auto_benchmark.agents.agent import AttemptOutcome, Turn
from auto_benchmark.agents.recording import record
from auto_benchmark.agents.workspace import Files, with_notes, write_files
from auto_benchmark.artifacts.folder_lock import locked
from auto_benchmark.errors import RefusedError
from auto_benchmark.lab import result_file

RUN, ATTEMPTS, MEASURES, RESULT = "run.json", "attempts.jsonl", "measures.jsonl", "result.json"
TRAJECTORY, STATE = "trajectory", "state"
SEED_BITS = 48


@dataclass(frozen=True, slots=True)
class Finished:
    """One finished attempt, a line of ``attempts.jsonl``.

    Attributes:
        attempt: from 1.
        seconds: of the agent and of the verification.
        valid: the sealed verifier's word; False where the agent failed.
        score: None where it is not valid.
        reward: 0 where it is not valid.
        reason: why it is not valid, or what the agent said.
        seed: of the sealed inputs; None where nothing was verified.
        measures: calls of the measure command.
        tokens: of a language model, and ``money``: what it cost.
    """

    attempt: int
    seconds: float
    valid: bool
    score: float | None
    reward: float
    reason: str
    seed: int | None
    measures: int
    tokens: int
    money: float

    __pydantic_config__: ClassVar[ConfigDict] = ConfigDict(extra="forbid", allow_inf_nan=False)


_FINISHED = TypeAdapter(Finished)


@dataclass(frozen=True, slots=True)
class AgentEnd:
    """How the agent's part of an attempt ended, as the trajectory holds it."""

    outcome: AttemptOutcome
    reason: str
    measures: int
    tokens: int
    money: float
    seconds: float
    patch: str


class RunFolder:
    """Files of one run under ``path``."""

    def __init__(self, path: Path) -> None:
        self.path = path.resolve()

    def locked(self) -> AbstractContextManager[None]:
        """Hold the folder, as :func:`~auto_benchmark.artifacts.folder_lock.locked` does."""
        return locked(self.path, taken=f"{self.path}: another run works in this folder")

    def belongs_to(self, identity: Mapping[str, Any]) -> int:
        """Take the folder for a run, or make sure that it is this run's already; returns the run's seed.

        Raises:
            RefusedError: it belongs to another run; the message names what differs.
        """
        file = self.path / RUN
        try:
            known = json.loads(file.read_text(encoding="utf-8"))
            seed = int(known.pop("seed"))
        except FileNotFoundError:
            seed = secrets.randbits(SEED_BITS)
            atomic.write_text(file, json.dumps({**identity, "seed": seed}, ensure_ascii=False, indent=1) + "\n")
            return seed
        except (ValueError, KeyError, TypeError, AttributeError):
            raise RefusedError(f"{file}: is not the description of a run") from None
        if known != dict(identity):
            changed = ", ".join(sorted(k for k in {*known, *identity} if known.get(k) != identity.get(k)))
            raise RefusedError(
                f"{self.path}: holds another run (changed: {changed}); two runs are never mixed: give another --out"
            )
        return seed

    def attempts(self) -> list[Finished]:
        """Finished attempts in order. Raises RefusedError when the file is damaged."""
        file = self.path / ATTEMPTS
        if not file.exists():
            return []
        found = []
        lines = file.read_text(encoding="utf-8").removesuffix("\n").split("\n")  # as other signs stand in reasons
        for number, line in enumerate(lines, 1):
            try:
                found.append(_FINISHED.validate_json(line, strict=True))
            except ValueError:
                raise RefusedError(f"{file}:{number}: is not an attempt") from None
        return found

    def keep(self, finished: Finished) -> None:
        """Add an attempt: from here on it has happened."""
        rows = [*self.attempts(), finished]
        lines = [json.dumps(_row(row), ensure_ascii=False, allow_nan=False) for row in rows]
        atomic.write_text(self.path / ATTEMPTS, "\n".join(lines) + "\n")

    def ended(self, attempt: int) -> AgentEnd | None:
        """How the agent's part of an attempt ended; None where it has not."""
        place = self.path / TRAJECTORY
        try:
            told = json.loads((place / f"{attempt}.json").read_text(encoding="utf-8"))
        except (FileNotFoundError, ValueError):
            return None
        if not self.state(attempt).is_dir():
            return None
        return AgentEnd(
            AttemptOutcome(told["outcome"]), told["reason"], len(told["measures"]), told["tokens"], told["money"],
            told["seconds"], (place / f"{attempt}.patch").read_text(encoding="utf-8"),
        )  # fmt: skip

    def must_have_ended(self, attempt: int) -> AgentEnd:
        """The same of an attempt that was just recorded. Raises RefusedError where its files are gone."""
        ended = self.ended(attempt)
        if ended is None:
            raise RefusedError(f"{self.path}: the record of attempt {attempt} is gone")
        return ended

    def record(self, attempt: int, turn: Turn, before: Files, after: Files, workspace: Path) -> None:
        """Write down the agent's part; the file that says that it has ended comes last."""
        if self.state(attempt).exists():  # left by a try that was killed
            trees.remove(self.state(attempt))
        with atomic.new_directory(self.state(attempt)) as folder:
            write_files(folder, with_notes(workspace))
        record(self.path / TRAJECTORY, attempt, turn, before, after)

    def state(self, attempt: int) -> Path:
        """The workspace as an attempt left it."""
        return self.path / STATE / str(attempt)

    def told_measure(self, row: Mapping[str, Any]) -> None:
        """Add a call of the measure command to the log."""
        with (self.path / MEASURES).open("a", encoding="utf-8") as file:
            file.write(json.dumps(row, ensure_ascii=False) + "\n")

    def result(self) -> dict[str, Any] | None:
        """The result, once there is one. Raises ConfigError where the file is damaged: it is written whole or not at all."""
        file = self.path / RESULT
        return result_file.read(file) if file.exists() else None

    def write(self, name: str, document: Mapping[str, Any]) -> None:
        """Write a document, whole or not at all."""
        atomic.write_text(
            self.path / name, json.dumps(document, ensure_ascii=False, indent=1, allow_nan=False) + "\n"
        )


def _row(finished: Finished) -> dict[str, Any]:
    return {name: getattr(finished, name) for name in Finished.__slots__}
