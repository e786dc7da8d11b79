"""Memory that no process's own account shows is refused or counts, with a control group of the trial's own and without."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

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
    "root with everything": (None, ()),
}
ROOM_MB = COST_LIMITS[MEMORY].absolute
"""As much more than production's a candidate may take anyway."""


def kept(rows: list[dict[str, Any]]) -> dict[str, dict[str, Any]]:
    """Those that ended well with more in memory than was granted."""
    return {row["way"]: row for row in rows if row["failure"] is None and row["holds_mb"] >= ROOM_MB}


@pytest.mark.timeout(240)
@pytest.mark.parametrize("place", MACHINES)
def test_every_hoard_counts_or_is_refused(open_directory: Path, place: str) -> None:
    user, lacks = MACHINES[place]
    folder = open_directory / place.replace(" ", "-")
    folder.mkdir()
    ways = list(hoards.WAYS) if lacks or user else list(hoards.UNCOUNTED_BY_GROUPS)
    words = [*machine(user, lacks, own=[folder]), sys.executable, hoards.__file__, str(folder), *ways]
    environment = {**os.environ, "PYTHONPATH": f"{ROOT / 'include'}:{ROOT}", "TMPDIR": str(folder)}
    done = subprocess.run(words, capture_output=True, text=True, check=False, timeout=230, env=environment)
    assert done.returncode == 0, done.stderr
    rows = [json.loads(line) for line in done.stdout.splitlines()]
    assert [row["way"] for row in rows] == ways
    assert kept(rows) == {}
    assert {row["failure"] for row in rows} <= {None, "oom_host", "crash"}, rows


@pytest.mark.docker
@pytest.mark.timeout(120)
def test_every_hoard_that_no_group_counts_is_refused_in_a_container(contract_image: str, tmp_path: Path) -> None:
    ways = hoards.UNCOUNTED_BY_GROUPS
    rows = list(hoards.all_tried(tmp_path, ways, contract_image))
    assert [row["way"] for row in rows] == list(ways)
    assert kept(rows) == {}
    assert {row["failure"] for row in rows} <= {None, "oom_host", "crash"}, rows
