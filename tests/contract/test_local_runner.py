"""The local runner keeps the runner contract, and leaves no process behind."""

import json
import subprocess
import sys
import textwrap

import psutil
import pytest
from tests.contract.runner_contract import RunnerContract
from tests.waiting import ended, eventually

from auto_benchmark.registry.solution import Resources
from auto_benchmark.runners import local
from auto_benchmark.runners.environment import trial_environment
from auto_benchmark.runners.local import LocalRunner


class TestLocalRunner(RunnerContract):
    @pytest.fixture
    def runner(self):
        return LocalRunner()

    def test_killing_the_runner_kills_the_trial(self, request_for, tmp_path):
        code = (
            "import os, time, pathlib\n"
            "pathlib.Path(os.environ['AB_OUTPUT_DIR'], 'pid').write_text(str(os.getpid()))\ntime.sleep(600)"
        )
        request = request_for(code)
        marker = request.output_dir / "pid"
        program = textwrap.dedent(f"""
            import pathlib
            from auto_benchmark.contract.trial import BenchmarkRef, TrialConfig
            from auto_benchmark.runners.local import LocalRunner
            from auto_benchmark.runners.runner import TrialRequest
            LocalRunner().run(TrialRequest("t", ["python", "train.py"], "", pathlib.Path({str(request.workdir)!r}),
                TrialConfig(params={{}}, seed=1, benchmark=BenchmarkRef(name="b", version="1")),
                pathlib.Path({str(request.data_dir)!r}), pathlib.Path({str(request.output_dir)!r})))
        """)
        runner = subprocess.Popen([sys.executable, "-c", program])
        trial = psutil.Process(int(eventually(lambda: marker.exists() and marker.read_text(), "the trial's start")))
        runner.kill()
        runner.wait()
        eventually(lambda: ended(trial), "the trial's end")

    def test_a_trial_with_a_gpu_is_confined_but_for_its_own_process_entries(self, request_for, tmp_path):
        """The command line of such a trial, run without the check for devices that stops it on this machine."""
        (tmp_path / "secret").write_text("x")
        code = textwrap.dedent(f"""
            import json, os, pathlib
            found = {{}}
            def attempt(name, action):
                try:
                    action(); found[name] = "done"
                except OSError as error:
                    found[name] = type(error).__name__
            own = pathlib.Path("/proc/self/task").iterdir().__next__()
            attempt("thread's name", lambda: (own / "comm").write_text("x"))
            attempt("parent's name", lambda: pathlib.Path(f"/proc/{{os.getppid()}}/comm").write_text("x"))
            attempt("secret", lambda: pathlib.Path({str(tmp_path / "secret")!r}).read_text())
            pathlib.Path(os.environ["AB_OUTPUT_DIR"], "found.json").write_text(json.dumps(found))
        """)
        request = request_for(code, resources=Resources(gpus=1))
        places = {"data_dir": str(request.data_dir), "output_dir": str(request.output_dir), "scratch": str(tmp_path)}
        environment = trial_environment(request, **places)
        assert environment.pop("AB_GPUS") == "1"
        scratch = tmp_path / "scratch"
        scratch.mkdir()
        command = local._confined(request, sys.executable, str(scratch))
        subprocess.run(command, cwd=request.workdir, env=environment, check=True, timeout=120)
        found = json.loads((request.output_dir / "found.json").read_text())
        wanted = {"thread's name": "done", "parent's name": "PermissionError", "secret": "PermissionError"}
        assert found == wanted or not local.confinement.landlock_version()
