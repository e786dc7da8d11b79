"""An agent that is any executable, confined and bounded as a trial is (docs/isolation.md)."""

from __future__ import annotations

import contextlib
import json
import os
import shlex
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

from auto_benchmark.agents import measure_command, start
from auto_benchmark.agents.agent import LONGEST_LOG, LONGEST_REASON, AttemptOutcome, Turn
from auto_benchmark.agents.brief import Brief
from auto_benchmark.agents.desk import ANSWER, ASK, LOCK, desk
from auto_benchmark.agents.leave import take_over
from auto_benchmark.agents.measure import Measure
from auto_benchmark.agents.meter import Meter
from auto_benchmark.agents.place import AgentPlace, Here
from auto_benchmark.agents.workspace import Files, WorkspaceError, all_files, with_notes, write_files
from auto_benchmark.artifacts.trial_folder import LOG
from auto_benchmark.contract.failure import FailureClass
from auto_benchmark.contract.trial import BenchmarkRef, TrialConfig
from auto_benchmark.documents import storable
from auto_benchmark.errors import InputError
from auto_benchmark.registry.solution import Resources
from auto_benchmark.runners.exit_code import log_tail
from auto_benchmark.runners.isolation import IsolationReport, with_network
from auto_benchmark.runners.runner import RunResult, TrialRequest
from auto_benchmark.scratch import scratch_folder

EXIT_DONE = 3
PYTHON = "python"
"""In a command: the interpreter of the place where it runs."""
ENTRY = "agent"
"""Name of the executable in a folder that is an agent."""
SHIM = '#!/bin/sh\nexec {python} -I -S {program} {ask} {answer} {lock} "$@"\n'


@dataclass(frozen=True, slots=True)
class CommandAgent:
    """A program, started anew for each attempt.

    It has no network unless its operator gives it the machine's. It sees its own file (or folder), the machine's programs
    and this package's interpreter, and writes to its workspace and a scratch directory alone. The wall clock is that of
    the budget.

    Attributes:
        name: as a person wrote it.
        command: the program and its arguments.
        readable: paths of it.
        resources: memory, processes, processors and size of what it may leave.
        place: where it runs.
        network: whether its operator has declared that it may use the machine's network.
    """

    name: str
    command: tuple[str, ...]
    readable: tuple[str, ...]
    resources: Resources = field(default_factory=lambda: Resources(memory_mb=2048, pids=128, output_mb=512))
    place: AgentPlace = field(default_factory=Here)
    network: bool = False

    @classmethod
    def at(cls, path: str) -> CommandAgent:
        """The agent at a path: an executable, a Python program, or a folder that holds an executable ``agent``.

        Raises:
            InputError: there is none.
        """
        place = Path(path).expanduser()
        entry = place / ENTRY if place.is_dir() else place
        if not path or not entry.is_file():
            raise InputError(f"--agent command: there is no program {str(entry) if path else path!r}")
        entry = entry.absolute()
        runs_itself = os.access(entry, os.X_OK)
        if not runs_itself and entry.suffix != ".py":
            raise InputError(f"--agent command: {entry} is not executable; chmod +x it")
        command = (str(entry),) if runs_itself else (PYTHON, str(entry))
        readable = str(place.absolute()) if place.is_dir() else str(entry)
        return cls(f"command:{path}", command, (readable, *_linked(entry)))

    @property
    def isolation(self) -> IsolationReport:
        """What keeps the agent from others here, and what does not: for reports."""
        found = self.place.isolation
        return with_network(found) if self.network else found

    def attempt(self, workspace: Path, brief: Brief, measure: Measure | None) -> Turn:
        """See :class:`~auto_benchmark.agents.agent.Agent`."""
        base = with_notes(workspace)
        meter = Meter(measure, brief, all_files(workspace).files)
        if meter.left.seconds_left <= 0:
            return Turn(AttemptOutcome.FAILED, "no time is left")
        with _places() as (given, own):
            self._prepare(given, own, base, brief, measures=measure is not None)
            with desk(own, own / start.WORKSPACE, brief.editable, meter):
                ended = self.place.run(self._request(given, own, meter.left.seconds_left))
            log = log_tail(own / LOG)[-LONGEST_LOG:]
            outcome, words = _outcome(ended)
            try:
                words += take_over(workspace, base, own / start.WORKSPACE, brief)
            except WorkspaceError as error:
                outcome, words = AttemptOutcome.FAILED, [*words, f"the workspace: {error}"]
        reason = storable("; ".join(words))[:LONGEST_REASON]
        return Turn(outcome, reason, tuple(meter.calls), money=meter.money, seconds=meter.seconds, log=log)

    def _prepare(self, given: Path, own: Path, base: Files, brief: Brief, *, measures: bool) -> None:
        """Everything that the agent is given, in a folder that it may read."""
        write_files(given / start.WORKSPACE, base)
        text = storable(json.dumps(brief.to_json(), ensure_ascii=False, indent=1))
        (given / start.BRIEF).write_text(text, encoding="utf-8")
        (given / "start.py").write_bytes(Path(start.__file__).read_bytes())
        (given / "measure.py").write_bytes(Path(measure_command.__file__).read_bytes())
        if measures:
            words = {"python": self.place.python, "program": given / "measure.py",
                     "ask": own / ASK, "answer": own / ANSWER, "lock": own / LOCK}  # fmt: skip
            shim = given / start.MEASURE
            shim.write_text(SHIM.format(**{name: shlex.quote(str(word)) for name, word in words.items()}))
            shim.chmod(0o755)

    def _request(self, given: Path, own: Path, seconds: float) -> TrialRequest:
        readable, python = [*self.resources.readable, *self.readable], self.place.python
        return TrialRequest(
            trial_id=given.name,
            command=[
                python,
                "-I",
                "-S",
                str(given / "start.py"),
                *(python if w == PYTHON else w for w in self.command),
            ],
            image="",
            workdir=given,
            config=TrialConfig(params={}, seed=0, budget_s=seconds, benchmark=BenchmarkRef(name=ENTRY, version="1")),
            data_dir=given,
            output_dir=own,
            network=self.network,
            resources=self.resources.model_copy(update={"readable": readable}),
        )


@contextlib.contextmanager
def _places() -> Iterator[tuple[Path, Path]]:
    """A folder that the agent reads and one that it writes, both gone in the end. Their paths say nothing."""
    with scratch_folder("agent") as given, scratch_folder("agent") as own:
        given.chmod(0o755)
        yield given, own


def _linked(entry: Path) -> tuple[str, ...]:
    real = str(entry.resolve())
    return () if real == str(entry) else (real,)


def _outcome(ended: RunResult) -> tuple[AttemptOutcome, list[str]]:
    if ended.exit_code == 0:
        return AttemptOutcome.EVALUATE, []
    if ended.exit_code == EXIT_DONE:
        return AttemptOutcome.DONE, []
    why = "" if ended.failure in {None, FailureClass.CRASH} else f"{ended.failure}: "
    return AttemptOutcome.FAILED, [f"{why}{ended.message}"]
