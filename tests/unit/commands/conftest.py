"""The command line as a user meets it."""

from __future__ import annotations

import sys
from collections.abc import Callable
from dataclasses import dataclass

import pytest

from auto_benchmark import cli


@dataclass
class Ended:
    """How a command ended."""

    code: object
    out: str
    err: str


@pytest.fixture
def command(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Callable[..., Ended]:
    """Runs the whole command line in this process: argv in, exit code and both streams out."""

    def call(*arguments: object) -> Ended:
        monkeypatch.setattr(sys, "argv", ["auto-benchmark", *map(str, arguments)])
        with pytest.raises(SystemExit) as left:
            cli.main()
            raise SystemExit(0)
        out, err = capsys.readouterr()
        return Ended(left.value.code or 0, out, err)

    return call
