"""Harbor's own command line reads what ``lab export`` writes. It needs Python 3.12 (``make harbor``)."""

import json
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


def lint(*folders: Path) -> subprocess.CompletedProcess[str]:
    command = [HARBOR, "lint", "--json", *map(str, folders)]
    return subprocess.run(command, capture_output=True, text=True, timeout=240, check=False)


def test_every_exported_task_is_clean(tmp_path):
    settings = Settings()
    linted = lint(*(export(load(settings, name), tmp_path) for name in names(settings)))
    assert (linted.returncode, json.loads(linted.stdout)) == (0, []), linted.stderr


def test_a_faulty_task_is_not(tmp_path):
    settings = Settings()
    folder = export(load(settings, names(settings)[0]), tmp_path)
    file = folder / "task.toml"
    file.write_text(file.read_text().replace("timeout_sec = 3600.0", 'timeout_sec = "soon"'))
    linted = lint(folder)
    assert linted.returncode != 0 and "invalid-task-config" in linted.stdout
