"""``kill -9`` of the loop at random moments, then again until done: nothing twice, nothing lost."""

import os
import random
import signal
import subprocess
import sys

import pytest
from tests.e2e.loop_invariants import violations

KILLS = int(os.environ.get("AUTO_BENCHMARK_TEST_KILLS", "30"))


@pytest.mark.chaos
@pytest.mark.timeout(3600)
def test_a_killed_loop_does_nothing_twice_and_loses_nothing(tmp_path_factory):
    home = tmp_path_factory.mktemp("killed")
    environment = {**os.environ, "AUTO_BENCHMARK_HOME": str(home), "PYTHONPATH": "include"}
    command = [sys.executable, "-m", "auto_benchmark", "loop", "run", "--cycles", "1"]
    rng = random.Random(20261128)
    log = (home / "loop.log").open("ab")
    for _ in range(KILLS):
        process = subprocess.Popen(command, env=environment, stdout=log, stderr=log)
        try:
            process.wait(rng.uniform(2.0, 45.0))
        except subprocess.TimeoutExpired:
            process.send_signal(signal.SIGKILL)
            process.wait()
    done = subprocess.run(command, env=environment, stdout=log, stderr=log, timeout=900, check=False)
    assert done.returncode == 0, (home / "loop.log").read_text()[-3000:]
    assert violations(home) == []
