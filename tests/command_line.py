"""The command line in this process: a word list in, exit code and both streams out."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import pytest

from auto_benchmark.cli import main


@dataclass(frozen=True, slots=True)
class Ended:
    """How a command ended."""

    code: int
    out: str
    err: str

    @property
    def said(self) -> str:
        """Both streams."""
        return self.out + self.err

    @property
    def json(self) -> Any:
        """What ``--json`` printed. Raises JSONDecodeError where the command printed none."""
        return json.loads(self.out)


Run = Callable[..., Ended]


def runner(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Run:
    """A function that runs ``auto-benchmark`` with its words; what the command does not catch is raised."""

    def run(*words: object) -> Ended:
        monkeypatch.setattr(sys, "argv", ["auto-benchmark", *map(str, words)])
        capsys.readouterr()
        with pytest.raises(SystemExit) as ended:
            main()
        return Ended(int(ended.value.code or 0), *capsys.readouterr())

    return run
