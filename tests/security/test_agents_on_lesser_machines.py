"""An agent measures itself on every machine that trials run on, whatever layers of confinement that machine offers."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest
from tests.security.test_lesser_machines import MACHINES, machine

ROOT = Path(__file__).resolve().parents[2]
PLAYED = """
import json, sys
from pathlib import Path
from auto_benchmark.agents.brief import Brief, BudgetLeft
from auto_benchmark.agents.command import CommandAgent
from auto_benchmark.agents.measure import Measured

folder = Path(sys.argv[1])
budget = BudgetLeft(1, 60.0, None, 2)
brief = Brief("t", "i", "m", True, ("main.py",), budget, (), {})
turn = CommandAgent.at(str(folder / "agent.py")).attempt(
    folder / "workspace", brief, lambda place: Measured(True, float((place / "main.py").read_text()), "")
)
print(json.dumps([str(turn.outcome), turn.reason, [c.measured.score for c in turn.measures], turn.log]))
"""
AGENT = """#!/usr/bin/env python3
import os, pathlib, subprocess
pathlib.Path('main.py').write_text('2')
print(subprocess.run([os.environ['AB_MEASURE']], capture_output=True, text=True).stdout)
pathlib.Path('main.py').write_text('3')
subprocess.run([os.environ['AB_MEASURE'], '.'], capture_output=True, check=True)
"""


@pytest.mark.timeout(90)
@pytest.mark.parametrize(("user", "lacks"), MACHINES[::3])
def test_an_agent_measures_wherever_trials_run(open_directory: Path, tmp_path_factory, user, lacks) -> None:
    folder = open_directory / f"agent-{abs(hash((user, lacks)))}"
    (folder / "workspace").mkdir(parents=True)
    (folder / "workspace" / "main.py").write_text("1")
    (folder / "agent.py").write_text(AGENT)
    (folder / "agent.py").chmod(0o755)
    words = [*machine(user, lacks, own=[folder]), sys.executable, "-c", PLAYED, str(folder)]
    environment = {**os.environ, "PYTHONPATH": str(ROOT / "include")}
    done = subprocess.run(words, capture_output=True, text=True, check=False, timeout=60, env=environment)
    assert done.returncode == 0, done.stderr
    outcome, reason, scores, log = json.loads(done.stdout)
    assert (outcome, reason, scores) == ("evaluate", "", [2.0, 3.0]), log
    assert (folder / "workspace" / "main.py").read_text() == "3"
