"""The local runner keeps the runner contract, and leaves no process behind."""

import subprocess
import sys
import textwrap
import time

import psutil
import pytest
from tests.contract.runner_contract import RunnerContract

from auto_benchmark.runners.local import LocalRunner


class TestLocalRunner(RunnerContract):
    @pytest.fixture
    def runner(self):
        return LocalRunner()

    def test_killing_the_runner_kills_the_trial(self, request_for, tmp_path):
        code = (
            "import os, time, pathlib\n"
            "pathlib.Path(os.environ['AB_OUTPUT_DIR'], 'pid').write_text(str(os.getpid()))\ntime.sleep(60)"
        )
        request = request_for(code)
        marker = request.output_dir / "pid"
        program = textwrap.dedent(f"""
            import pathlib
            from auto_benchmark.experiments.trial import BenchmarkRef, TrialConfig
            from auto_benchmark.runners.local import LocalRunner
            from auto_benchmark.runners.runner import TrialRequest
            LocalRunner().run(TrialRequest("t", ["python", "train.py"], "", pathlib.Path({str(request.workdir)!r}),
                TrialConfig(params={{}}, seed=1, benchmark=BenchmarkRef(name="b", version="1")),
                pathlib.Path({str(request.data_dir)!r}), pathlib.Path({str(request.output_dir)!r})))
        """)
        runner = subprocess.Popen([sys.executable, "-c", program])
        deadline = time.monotonic() + 20
        while not (marker.exists() and marker.read_text()) and time.monotonic() < deadline:
            time.sleep(0.05)
        trial = psutil.Process(int(marker.read_text()))
        runner.kill()
        runner.wait()
        gone, alive = psutil.wait_procs([trial], timeout=10)
        assert gone and not alive
