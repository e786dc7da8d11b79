"""``AUTO_BENCHMARK_RUNNER=docker make demo``: from behind to #1 with every trial in a container of a real engine."""

import contextlib
import json
import os
import shutil
import subprocess
import sys
import tempfile
import threading
from pathlib import Path

import pytest
from sqlalchemy import text
from tests.airflow_home import REPOSITORY
from tests.docker.base_image import DISTRIBUTIONS, build_base_image

from auto_benchmark.db.engine import engine
from auto_benchmark.runners.container import TRIAL_LABEL
from auto_benchmark.settings import Settings
from auto_benchmark.stack.launcher import Launcher

pytestmark = [pytest.mark.docker, pytest.mark.e2e, pytest.mark.timeout(1500)]
SOLUTION = "memory_retrieval"


def command(home: Path, *words: str, timeout: float = 1200) -> subprocess.CompletedProcess[str]:
    environment = {k: v for k, v in os.environ.items() if not k.startswith(("AIRFLOW", "AUTO_BENCHMARK"))}
    environment |= {
        "AUTO_BENCHMARK_HOME": str(home), "AUTO_BENCHMARK_RUNNER": "docker", "PYTHONPATH": "include:plugins",
    }  # fmt: skip
    program = [sys.executable, "-m", "auto_benchmark", *words]
    return subprocess.run(
        program, env=environment, cwd=REPOSITORY, capture_output=True, text=True, timeout=timeout, check=False
    )


@pytest.fixture
def home():
    path = Path(tempfile.mkdtemp(prefix="auto-benchmark-docker-demo-"))
    path.chmod(0o755)
    yield path
    command(path, "stack", "down")
    shutil.rmtree(path, ignore_errors=True)


@contextlib.contextmanager
def counted(client):
    """Names of the containers that are created meanwhile."""
    names: list[str] = []
    stream = client.events(decode=True, filters={"type": "container", "event": "create"})

    def read():
        with contextlib.suppress(Exception):
            names.extend(e["Actor"]["Attributes"]["name"] for e in stream)

    thread = threading.Thread(target=read, daemon=True)
    thread.start()
    yield names
    stream.close()
    thread.join(10)


def test_the_demo_ends_first_with_every_trial_in_a_container(home, docker_client):
    locked = (REPOSITORY / "include/solutions" / SOLUTION / "requirements.lock").read_text()
    assert all(name in locked for name in DISTRIBUTIONS if name != "pip")
    base = build_base_image(docker_client)
    images = command(home, "images", SOLUTION, "--base-image", base, "--network", "none")
    assert images.returncode == 0, images.stderr[-2000:]
    with counted(docker_client) as created:
        done = command(home, "stack", "demo")
    print(done.stdout)
    assert done.returncode == 0, done.stdout[-3000:] + done.stderr[-2000:]
    result = json.loads(done.stdout.splitlines()[-1])
    assert result["rank_after"] == 1 < result["rank_before"]
    ran = trials_of(home / "demo")
    assert ran and {state for _, _, state in ran} == {"done"}
    digest = docker_client.images.get(images.stdout.split()[-1]).id.removeprefix("sha256:")[:16]
    assert {(place, image) for place, image, _ in ran} == {("docker", digest)}
    trials_made = [name for name in created if name.startswith("ab-")]
    assert len(trials_made) >= len(ran) and len(set(trials_made)) == len(ran)
    left = docker_client.containers.list(all=True, filters={"label": TRIAL_LABEL}, ignore_removed=True)
    assert not {container.name for container in left} & set(trials_made)


def trials_of(home: Path) -> list[tuple[str, str, str]]:
    """Runner, image and state of every trial that was ever started."""
    url = Launcher(Settings(home=home), print).environment()["AUTO_BENCHMARK_DB_URL"]
    bind = engine(url)
    with bind.connect() as connection:
        query = "SELECT fingerprint->>'runner', fingerprint->>'image', state FROM auto_benchmark.trials"
        found = connection.execute(text(f"{query} WHERE attempts > 0")).all()
    bind.dispose()
    return [tuple(row) for row in found]
