"""Programs of others as candidates: each runs in its panel's own environment, behind a worker that stays."""

from __future__ import annotations

import atexit
import base64
import contextlib
import json
import shutil
import subprocess
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from threading import Timer
from typing import Any

from auto_benchmark.construction.candidate import Candidate, Kind, Solved
from auto_benchmark.construction.item import Asked
from auto_benchmark.settings import INCLUDE, process_environment

WORKERS = Path(__file__).with_name("elsewhere")
ENVIRONMENTS = INCLUDE.parent / ".panels"
"""Made by ``make panel PANEL=…``, one folder for each panel."""
PLACES_OF_PROGRAMS = ("/usr/local/bin", "/usr/bin", "/bin", "/usr/games")
LIMIT_S = 300.0


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
            RuntimeError: the program ended, or took longer than five minutes.
        """
        process = _process(self)
        if process.stdin is None or process.stdout is None:
            raise RuntimeError("the program has no pipes")
        limit = Timer(LIMIT_S, process.kill)
        limit.start()
        line = ""
        try:
            with contextlib.suppress(BrokenPipeError):
                process.stdin.write(json.dumps([_told(one) for one in asked]) + "\n")
                process.stdin.flush()
                line = process.stdout.readline()
        finally:
            limit.cancel()
        if not line:
            _RUNNING.pop(self.name, None)  # the next call starts it again
            raise RuntimeError(f"the program ended with {process.wait()}")
        return list(json.loads(line))


def _told(asked: Asked) -> dict[str, Any]:
    media = base64.b64encode(asked.media.content).decode() if asked.media else None
    return {"question": asked.question, "context": asked.context, "media": media}


_RUNNING: dict[str, subprocess.Popen[str]] = {}


def _process(program: ProgramProcess) -> subprocess.Popen[str]:
    """One process per candidate; it ends with its input, and with this one."""
    if program.name in _RUNNING:
        return _RUNNING[program.name]
    command = [str(ENVIRONMENTS / program.panel / "bin" / "python"), str(WORKERS / f"{program.panel}.py"),
               program.system, *program.arguments]  # fmt: skip
    threads = dict.fromkeys(("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "OMP_THREAD_LIMIT"), "1")
    path = ":".join([*PLACES_OF_PROGRAMS, process_environment().get("PATH", "")])
    process = subprocess.Popen(command,  # noqa: S603 - the panel's interpreter and our worker
                               stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL,
                               text=True, env={"PATH": path, **threads})  # fmt: skip
    atexit.register(process.kill)
    _RUNNING[program.name] = process
    return process


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
