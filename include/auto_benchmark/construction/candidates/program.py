"""Programs of others as candidates: each runs in its panel's own environment, behind a worker that stays."""

from __future__ import annotations

import atexit
import base64
import contextlib
import json
import os
import shutil
import signal
import subprocess
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from select import select
from threading import Timer
from typing import IO, Any

from auto_benchmark.construction.candidate import Candidate, Kind, Solved
from auto_benchmark.construction.item import Asked
from auto_benchmark.settings import INCLUDE, process_environment

WORKERS = Path(__file__).with_name("elsewhere")
ENVIRONMENTS = INCLUDE.parent / ".panels"
"""Made by ``make panel PANEL=…``, one folder for each panel."""
PLACES_OF_PROGRAMS = ("/usr/local/bin", "/usr/bin", "/bin", "/usr/games")
LIMIT_S = 300.0
LONGEST_REPLY = 2**22
"""Bytes of an answer that are read."""


@dataclass(frozen=True, slots=True)
class ProgramProcess:
    """One program, or one mode of it, in a process that stays: some take many seconds to load.

    Attributes:
        panel: names the environment and the worker.
        system: as the worker calls it.
        needs: a program of the operating system that must be there.
        arguments: of the worker, after the system.
    """

    name: str
    panel: str
    system: str
    version: str
    sources: frozenset[str]
    modalities: frozenset[str] = frozenset({"text"})
    needs: str | None = None
    arguments: tuple[str, ...] = ()
    kind: Kind = Kind.EXTERNAL

    @property
    def missing(self) -> str | None:
        """What has to be installed before it can answer."""
        if not (ENVIRONMENTS / self.panel / "bin" / "python").exists():
            return f"make panel PANEL={self.panel}"
        if self.needs and shutil.which(self.needs, path=":".join(PLACES_OF_PROGRAMS)) is None:
            return f"this machine has no program {self.needs}"
        return None

    def answer(self, asked: Sequence[Asked], examples: Sequence[Solved]) -> Sequence[object]:
        """Examples teach it nothing: its model is what it was installed with.

        Raises:
            RuntimeError: the program ended, took longer than five minutes, or said something that is no answer.
        """
        question = json.dumps([_told(one) for one in asked]).encode() + b"\n"
        has_answered = self.name in _RUNNING
        try:
            return self._asked(question, len(asked))
        except ProgramEndedError:
            if not has_answered:
                raise
            return self._asked(question, len(asked))  # it had ended after its last answer

    def _asked(self, question: bytes, items: int) -> list[object]:
        process = _process(self)
        limit = Timer(LIMIT_S, _kill, [process])
        limit.start()
        try:
            return _answers(_said(process, question), items)
        except BaseException as error:
            _end(self.name)  # the next call starts it again; what it may still say answers nothing
            if isinstance(error, ProgramEndedError) and not limit.is_alive():
                raise RuntimeError(f"the program gave no answer within {LIMIT_S:g} s") from None
            raise
        finally:
            limit.cancel()


class ProgramEndedError(RuntimeError):
    """A program ended instead of answering."""


def _said(process: subprocess.Popen[bytes], question: bytes) -> bytes:
    """The line with which a program answers; empty where it has ended."""
    if process.stdin is None or process.stdout is None:
        raise RuntimeError("the program has no pipes")
    with contextlib.suppress(BrokenPipeError):
        _write_all(process.stdin, question)
        return process.stdout.readline(LONGEST_REPLY)
    return b""


def _write_all(pipe: IO[bytes], content: bytes) -> None:
    left = memoryview(content)
    while left:
        left = left[pipe.write(left) :]


def _answers(line: bytes, asked: int) -> list[object]:
    """What a line says. Raises RuntimeError where it is not one list of as many answers as there were items."""
    if not line:
        raise ProgramEndedError("the program ended without an answer")
    try:
        found = json.loads(line)
    except (ValueError, RecursionError):
        found = None
    if not isinstance(found, list) or not line.endswith(b"\n"):
        raise RuntimeError(f"the program said {line[:40]!r}, which is no list of answers")
    if len(found) != asked:
        raise RuntimeError(f"{len(found)} answers to {asked} items")
    return found


def _told(asked: Asked) -> dict[str, Any]:
    media = base64.b64encode(asked.media.content).decode() if asked.media else None
    return {"question": asked.question, "context": asked.context, "media": media}


_RUNNING: dict[str, subprocess.Popen[bytes]] = {}


def _process(program: ProgramProcess) -> subprocess.Popen[bytes]:
    """One process per candidate; it ends with its input, and with this one.

    One that has ended, or has said something that nothing asked for, is replaced: it would be read as the next answer.
    """
    if (known := _RUNNING.get(program.name)) is not None:
        if known.stdout is not None and not select([known.stdout], [], [], 0)[0]:
            return known
        _end(program.name)
    command = [str(ENVIRONMENTS / program.panel / "bin" / "python"), str(WORKERS / f"{program.panel}.py"),
               program.system, *program.arguments]  # fmt: skip
    threads = dict.fromkeys(("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "OMP_THREAD_LIMIT"), "1")
    path = ":".join([*PLACES_OF_PROGRAMS, process_environment().get("PATH", "")])
    process = subprocess.Popen(command, bufsize=0,  # noqa: S603 - the panel's interpreter and our worker
                               stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL,
                               env={"PATH": path, **threads}, start_new_session=True)  # fmt: skip
    _RUNNING[program.name] = process
    return process


@atexit.register
def _end_all() -> None:
    for name in list(_RUNNING):
        _end(name)


def _end(name: str) -> None:
    """End a candidate's process, if it has one."""
    process = _RUNNING.pop(name, None)
    if process is not None:
        _kill(process)
        process.wait()
        for pipe in (process.stdin, process.stdout):
            if pipe is not None:
                pipe.close()


def _kill(process: subprocess.Popen[bytes]) -> None:
    """Kill a worker with whatever it has started, which would keep its pipe open."""
    with contextlib.suppress(ProcessLookupError):
        os.killpg(process.pid, signal.SIGKILL)


def panel(
    name: str, source: str, systems: Sequence[tuple[str, str, str, str | None]], *, modality: str = "text",
    arguments: tuple[str, ...] = (),
) -> tuple[Candidate, ...]:  # fmt: skip
    """The candidates of one panel.

    Args:
        name: of panel, environment and worker.
        source: whose items they answer.
        systems: name of the candidate, system as the worker calls it, version, program of the operating system.
        modality: of the items.
        arguments: of every worker.
    """
    return tuple(
        ProgramProcess(candidate, name, system, version, frozenset({source}), frozenset({modality}), needs, arguments)
        for candidate, system, version, needs in systems
    )
