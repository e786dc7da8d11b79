"""The local runner keeps the runner contract, and leaves no process behind."""

import json
import subprocess
import sys
import textwrap

import psutil
import pytest
from tests.contract.runner_contract import BUSY, GOOD, RunnerContract
from tests.waiting import ended, eventually

from auto_benchmark.contract.trial import TrialState
from auto_benchmark.registry.solution import Resources
from auto_benchmark.runners import isolation, local, watch
from auto_benchmark.runners.confinement.plan import MOUNT, PID, Layers
from auto_benchmark.runners.environment import trial_environment
from auto_benchmark.runners.granted import plan
from auto_benchmark.runners.local import LocalRunner

UNTIL_IT_ENDS = """
try:
    while True:
        os.kill(child, 0)
        time.sleep(0.05)
except ProcessLookupError:
    pass
"""
"""The child takes its processor time, however long that takes on a busy machine."""


class TestLocalRunner(RunnerContract):
    @pytest.fixture
    def runner(self):
        return LocalRunner()

    @pytest.mark.parametrize("grouped", [True, False], ids=["control groups", "no control groups"])
    def test_time_and_memory_are_measured_outside(self, runner, request_for, monkeypatch, grouped):
        """Of children too that nobody waits for: their time is added to no parent's, and a look may miss the last of it."""
        offered = isolation.offered()
        if grouped and not offered.groups.counts("memory"):
            pytest.skip("needs control groups")
        if not grouped:
            monkeypatch.setattr(isolation, "offered", lambda: isolation.Offered(offered.layers))
        busy = "import os, signal\nsignal.signal(signal.SIGCHLD, signal.SIG_IGN)\nchild = os.fork()\nif child == 0:"
        busy += textwrap.indent(BUSY.format(seconds=0.6, mb=150), "    ") + "    os._exit(0)\n" + UNTIL_IT_ENDS
        result = runner.run(request_for(GOOD + "\nimport time\n" + busy))
        assert result.state is TrialState.DONE, result
        assert (0.5 if grouped or offered.layers.counter else 0.3) <= result.cpu_s <= 2 * result.wall_s
        assert 150 <= result.peak_memory_mb < 260

    def test_a_spike_of_memory_between_two_looks_is_seen(self, runner, request_for, monkeypatch):
        monkeypatch.setattr(watch, "POLL_SECONDS", 5.0)
        result = runner.run(request_for(GOOD + "\nblock = bytearray(b'x') * (120 * 2**20)\ndel block"))
        assert result.state is TrialState.DONE
        assert 120 <= result.peak_memory_mb < 200

    def test_killing_the_runner_kills_the_trial(self, request_for, tmp_path):
        code = (
            "import os, time, pathlib\npathlib.Path(os.environ['AB_OUTPUT_DIR'], 'started').touch()\ntime.sleep(600)"
        )
        request = request_for(code)
        marker = request.output_dir / "started"
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
        eventually(marker.exists, "the trial's start")
        trial = psutil.Process(runner.pid).children(recursive=True)
        assert len(trial) > 1
        runner.kill()
        runner.wait()
        eventually(lambda: all(map(ended, trial)), "the trial's end")

    @pytest.mark.parametrize("own_tree", [True, False], ids=["own file tree", "the machine's file tree"])
    def test_a_trial_with_a_gpu_is_confined_but_for_its_own_process_entries(self, request_for, tmp_path, own_tree):
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
            attempt("a setting's", lambda: pathlib.Path("/proc/sys/kernel/core_pattern").open("w"))
            attempt("secret", lambda: pathlib.Path({str(tmp_path / "secret")!r}).read_text())
            pathlib.Path(os.environ["AB_OUTPUT_DIR"], "found.json").write_text(json.dumps(found))
        """)
        offered = isolation.offered()
        if own_tree and not offered.layers.has(MOUNT, PID):
            pytest.skip("needs namespaces")
        if not own_tree:
            offered = isolation.Offered(Layers(landlock=offered.layers.landlock))
        if not offered.layers.landlock:
            pytest.skip("needs Landlock")
        request = request_for(code, resources=Resources(gpus=1))
        scratch = tmp_path / "scratch"
        scratch.mkdir()
        places = {"data_dir": str(request.data_dir), "output_dir": str(request.output_dir), "scratch": str(scratch)}
        environment = trial_environment(request, **places)
        assert environment.pop("AB_GPUS") == "1"
        granted = plan(
            request, offered, program=sys.executable, scratch=str(scratch), user=None, groups=(), report=-1
        )
        assert granted.restricts_late is not own_tree
        command = local.command_line(granted, [sys.executable, "train.py"])
        subprocess.run(command, cwd=request.workdir, env=environment, check=True, timeout=30)
        found = json.loads((request.output_dir / "found.json").read_text())
        assert (found.pop("secret"), found.pop("a setting's")) in {
            ("FileNotFoundError", "OSError"), ("FileNotFoundError", "PermissionError"),
            ("PermissionError", "PermissionError"),
        }  # fmt: skip
        assert found == {"thread's name": "done"}
