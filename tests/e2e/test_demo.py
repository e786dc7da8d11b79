"""``make demo`` and the stack around it, from nothing to #1 and back to nothing."""

import json
import os
import shutil
import socket
import subprocess
import sys
import tempfile
from pathlib import Path

import psutil
import pytest
from tests.airflow_home import REPOSITORY

pytestmark = [pytest.mark.e2e, pytest.mark.timeout(1500)]
KEYS = [
    *("rank_before", "rank_after", "board", "hypothesis_id"),
    *("score_before", "score_after", "arena_score", "decision_id", "seconds"),
]


def stack(home: Path, *arguments: str, timeout: float = 900) -> subprocess.CompletedProcess[str]:
    environment = {k: v for k, v in os.environ.items() if not k.startswith(("AIRFLOW", "AUTO_BENCHMARK"))}
    environment |= {"AUTO_BENCHMARK_HOME": str(home), "PYTHONPATH": "include:plugins"}
    command = [sys.executable, "-m", "auto_benchmark", "stack", *arguments]
    return subprocess.run(
        command, env=environment, cwd=REPOSITORY, capture_output=True, text=True, timeout=timeout, check=False
    )


def alive(home: Path) -> list[str]:
    """Command lines that name the home."""
    found = []
    for process in psutil.process_iter(["cmdline"]):
        line = " ".join(process.info["cmdline"] or [])
        if str(home) in line and process.pid != os.getpid():
            found.append(line)
    return found


@pytest.fixture
def home():
    """A directory that Postgres' own user can reach."""
    path = Path(tempfile.mkdtemp(prefix="auto-benchmark-e2e-"))
    path.chmod(0o755)
    yield path
    stack(path, "down")
    shutil.rmtree(path, ignore_errors=True)


def test_the_demo_ends_first_and_leaves_nothing_running(home):
    done = stack(home, "demo", timeout=1200)
    assert done.returncode == 0, done.stdout[-3000:] + done.stderr[-2000:]
    result = json.loads(done.stdout.splitlines()[-1])
    assert list(result) == KEYS
    assert result["rank_after"] == 1 < result["rank_before"]
    assert result["arena_score"] > result["score_before"]
    assert abs(result["arena_score"] - result["score_after"]) < 0.05
    assert "rank drop" in done.stdout
    assert "promotion" in done.stdout
    assert list((home / "demo" / "default" / "reports").glob("digest-*.md"))
    assert stack(home, "down").returncode == 0
    assert alive(home) == []


def test_the_stack_repairs_itself_and_keeps_its_data(home):
    assert stack(home, "up", "--paused").returncode == 0
    before = json.loads(stack(home, "status", "--json").stdout)
    assert None not in before["services"].values()
    for service in ("scheduler", "postgres", "dag-processor"):
        psutil.Process(before["services"][service]).kill()
    again = stack(home, "up", "--paused")
    assert again.returncode == 0, again.stderr
    assert "a dead scheduler left behind" in again.stderr
    after = json.loads(stack(home, "status", "--json").stdout)
    assert None not in after["services"].values()
    assert after["urls"] == before["urls"]
    assert after["services"]["api-server"] == before["services"]["api-server"]
    assert stack(home, "down").returncode == 0
    assert alive(home) == []
    port = int(before["urls"]["airflow"].rsplit(":", 1)[1])
    with socket.socket() as other:
        other.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        other.bind(("127.0.0.1", port))
        other.listen()
        refused = stack(home, "up")
    assert refused.returncode == 2
    assert f"{port} (airflow)" in refused.stderr
    assert "Traceback" not in refused.stderr
    assert alive(home) == []
