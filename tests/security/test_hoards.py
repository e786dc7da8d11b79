"""Memory that no process's own account shows is refused or counts, where a trial has no control group of its own."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest
from tests.security import hoards
from tests.security.test_lesser_machines import NOBODY, machine

from auto_benchmark.contract.measured import MEMORY
from auto_benchmark.promotion.guarding import COST_LIMITS

ROOT = Path(__file__).resolve().parents[2]
MACHINES = {
    "user": (NOBODY, ()),
    "user without namespaces": (NOBODY, ("namespaces", "cgroups")),
    "root without namespaces": (None, ("namespaces", "cgroups")),
    "root without control groups": (None, ("cgroups",)),
}
ROOM_MB = COST_LIMITS[MEMORY].absolute
"""As much more than production's a candidate may take anyway."""


@pytest.mark.timeout(240)
@pytest.mark.parametrize("place", MACHINES)
def test_every_hoard_counts_or_is_refused(open_directory: Path, place: str) -> None:
    user, lacks = MACHINES[place]
    folder = open_directory / place.replace(" ", "-")
    folder.mkdir()
    words = [*machine(user, lacks, own=[folder]), sys.executable, hoards.__file__, str(folder)]
    environment = {**os.environ, "PYTHONPATH": f"{ROOT / 'include'}:{ROOT}", "TMPDIR": str(folder)}
    done = subprocess.run(words, capture_output=True, text=True, check=False, timeout=230, env=environment)
    assert done.returncode == 0, done.stderr
    rows = [json.loads(line) for line in done.stdout.splitlines()]
    assert [row["way"] for row in rows] == list(hoards.WAYS)
    kept = {row["way"]: row for row in rows if row["failure"] is None and row["holds_mb"] >= ROOM_MB}
    assert kept == {}
    assert {row["failure"] for row in rows} <= {None, "oom_host", "crash"}, rows
