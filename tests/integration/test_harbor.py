"""Harbor's own command line reads what ``lab export`` writes. It needs Python 3.12 (``make harbor``)."""

import os
import shutil
import subprocess
from pathlib import Path

import pytest

from auto_benchmark.lab.catalog import load, names
from auto_benchmark.lab.export import export
from auto_benchmark.settings import Settings

ROOT = Path(__file__).resolve().parents[2]
HARBOR = os.environ.get("HARBOR") or shutil.which("harbor") or str(ROOT / ".harbor" / "bin" / "harbor")
pytestmark = pytest.mark.skipif(not Path(HARBOR).exists(), reason="harbor is not installed (make harbor)")


def test_every_exported_task_is_clean(tmp_path):
    settings = Settings()
    for name in names(settings):
        folder = export(load(settings, name), tmp_path)
        linted = subprocess.run(
            [HARBOR, "lint", str(folder)], capture_output=True, text=True, timeout=120, check=False
        )
        assert linted.returncode == 0, f"{name}: {linted.stdout}{linted.stderr}"
