"""A workspace, a brief and agents written as programs."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from auto_benchmark.agents.brief import Brief, BudgetLeft, PastAttempt
from auto_benchmark.agents.workspace import File, write_files

BUDGET = BudgetLeft(attempts_left=3, seconds_left=60.0, money_left=None, measures_left=3)


def make_brief(
    *, editable: tuple[str, ...] = ("main.py",), history: tuple[PastAttempt, ...] = (), **more: Any
) -> Brief:
    parts: dict[str, Any] = {"task": "toy", "instruction": "Make it higher.", "metric": "accuracy",
                             "higher_is_better": True, "budget": BUDGET, "context": {}}  # fmt: skip
    return Brief(editable=editable, history=history, **(parts | more))


@pytest.fixture
def workspace(tmp_path: Path) -> Path:
    """A program that may be edited and one that may not."""
    folder = tmp_path / "workspace"
    write_files(folder, {"main.py": File(b"x = 1\n"), "fixed.py": File(b"y = 1\n")})
    return folder


@pytest.fixture
def program(tmp_path: Path) -> Callable[[str], Path]:
    """Writes a Python program that is executable; returns its path."""

    def write(code: str) -> Path:
        folder = tmp_path / "program"
        folder.mkdir(exist_ok=True)
        file = folder / "agent.py"
        head = "#!/usr/bin/env python3\nimport json, os, pathlib, subprocess, sys, time\n"
        head += "brief = json.loads(pathlib.Path(os.environ['AB_BRIEF']).read_text())\n"
        head += "workspace = pathlib.Path(os.environ['AB_WORKSPACE'])\n"
        head += "def measure(*words):\n    done = subprocess.run([os.environ['AB_MEASURE'], *words], capture_output=True)\n"
        head += "    return done.returncode, json.loads(done.stdout or b'null')\n"
        file.write_text(head + code)
        file.chmod(0o755)
        return file

    return write
