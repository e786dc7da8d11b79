"""What every runner must do. A runner's test inherits this and provides the ``runner`` fixture."""

import json
import os
import threading
from pathlib import Path

import pytest

from auto_benchmark.artifacts.trial_output import read_metrics, read_predictions
from auto_benchmark.contract.failure import FailureClass
from auto_benchmark.contract.trial import BenchmarkRef, TrialConfig, TrialState
from auto_benchmark.registry.solution import Resources
from auto_benchmark.runners.runner import TrialRequest

GOOD = """
import json, os, pathlib, sys
config = json.loads(os.environ["AB_CONFIG_JSON"])
data = pathlib.Path(os.environ["AB_DATA_DIR"]); out = pathlib.Path(os.environ["AB_OUTPUT_DIR"])
rows = [json.loads(line) for line in (data / "inputs.jsonl").read_text().splitlines()]
for step in range(3):
    print("AB_PROGRESS " + json.dumps({"step": step, "metrics": {"loss": 1.0 / (step + 1)}}), flush=True)
print("warning: to stderr", file=sys.stderr)
(out / "predictions.jsonl").write_text("".join(
    json.dumps({"id": r["id"], "answer": config["seed"] * config["params"]["scale"]}) + "\\n" for r in rows))
(out / "metrics.json").write_text(json.dumps({"metrics": {"latency_ms": 1.5}}))
"""


READS_A_PICTURE = """
import json, os, pathlib
data = pathlib.Path(os.environ["AB_DATA_DIR"]); out = pathlib.Path(os.environ["AB_OUTPUT_DIR"])
answer = (data / "media" / "1.png").read_bytes().partition(b"\\0")[2].decode()
ids = [json.loads(line)["id"] for line in (data / "inputs.jsonl").read_text().splitlines()]
(out / "predictions.jsonl").write_text("".join(json.dumps({"id": i, "answer": answer}) + "\\n" for i in ids))
(out / "metrics.json").write_text(json.dumps({"metrics": {}}))
"""

BUSY = """
import time
until = time.process_time() + {seconds}
block = b"x" * ({mb} * 2**20)
while time.process_time() < until: pass
"""
"""Computes and holds memory; it reports nothing of either."""


class RunnerContract:
    """Inherit as ``TestXRunner(RunnerContract)`` and define the fixture ``runner``."""

    @pytest.fixture
    def place_for(self):
        """From code to the command and image that run it; places without images run ``train.py``."""
        return lambda code: (["python", "train.py"], "auto-benchmark-test")

    @pytest.fixture
    def request_for(self, tmp_path: Path, place_for):
        data = tmp_path / "data"
        data.mkdir()
        (data / "inputs.jsonl").write_text("".join(json.dumps({"id": f"q{i}"}) + "\n" for i in range(4)))
        (data / "media").mkdir()
        (data / "media" / "1.png").write_bytes(b"\x89PNG\0picture")

        def build(code: str, *, budget_s: float = 30.0, resources: Resources | None = None, seed: int = 7):
            folder = tmp_path / f"solution{len(list(tmp_path.iterdir()))}"
            folder.mkdir()
            (folder / "train.py").write_text(code)
            output = folder / "out"
            output.mkdir(mode=0o777)
            config = TrialConfig(
                params={"scale": 2}, seed=seed, budget_s=budget_s, benchmark=BenchmarkRef(name="b", version="1")
            )
            command, image = place_for(code)
            return TrialRequest(
                trial_id=f"t-{os.getpid()}-{folder.name}",
                command=command,
                image=image,
                workdir=folder,
                config=config,
                data_dir=data,
                output_dir=output,
                resources=resources or Resources(),
            )

        return build

    def test_a_good_trial_is_done_and_its_output_is_collected(self, runner, request_for):
        request = request_for(GOOD)
        seen = []
        result = runner.run(request, on_progress=seen.append)
        assert (result.state, result.failure, result.exit_code) == (TrialState.DONE, None, 0), result
        assert read_predictions(request.output_dir, {f"q{i}" for i in range(4)}) == {f"q{i}": 14 for i in range(4)}
        assert read_metrics(request.output_dir) == {"latency_ms": 1.5}
        assert [(p.step, round(p.metrics["loss"], 3)) for p in seen] == [(0, 1.0), (1, 0.5), (2, 0.333)]
        assert "warning: to stderr" in (request.output_dir / "train.log").read_text()
        assert 0 < result.wall_s < 30

    def test_a_trial_reads_the_files_that_its_rows_name(self, runner, request_for):
        request = request_for(READS_A_PICTURE)
        assert runner.run(request).state is TrialState.DONE
        ids = {f"q{i}" for i in range(4)}
        assert read_predictions(request.output_dir, ids) == dict.fromkeys(ids, "picture")

    @pytest.mark.parametrize(
        ("code", "failure", "words"),
        [
            ("raise ValueError('knob')", FailureClass.CRASH, "ValueError: knob"),
            ("import sys; sys.exit(78)", FailureClass.ENVIRONMENT_ERROR, "exit 78"),
            ("import os; os.kill(os.getpid(), 9)", FailureClass.KILLED, "137"),
            ("raise MemoryError", FailureClass.OOM_HOST, "MemoryError"),
            (
                "raise RuntimeError('CUDA out of memory. Tried to allocate 2.00 GiB')",
                FailureClass.OOM_GPU,
                "CUDA out",
            ),
        ],
    )
    def test_each_failure_has_its_class_and_its_last_words(self, runner, request_for, code, failure, words):
        result = runner.run(request_for(code))
        assert (result.state, result.failure) == (TrialState.FAILED, failure), result
        assert words in result.message

    def test_a_trial_over_its_time_is_a_timeout(self, runner, request_for):
        """It would go on for longer than a test may last: that it was waited for would show."""
        result = runner.run(request_for("import time; time.sleep(600)", budget_s=1.0))
        assert (result.state, result.failure) == (TrialState.FAILED, FailureClass.TIMEOUT)

    def test_a_trial_over_its_memory_is_oom(self, runner, request_for):
        code = "import time\nblock = b'x' * (400 * 2**20)\ntime.sleep(9)"
        result = runner.run(request_for(code, resources=Resources(memory_mb=150)))
        assert (result.state, result.failure) == (TrialState.FAILED, FailureClass.OOM_HOST), result

    def test_a_fork_storm_is_stopped(self, runner, request_for):
        code = "import subprocess, time\nps = [subprocess.Popen(['sleep', '60']) for _ in range(40)]\ntime.sleep(60)"
        result = runner.run(request_for(code, budget_s=20, resources=Resources(pids=16)))
        assert result.state is TrialState.FAILED and result.failure in {FailureClass.CRASH, FailureClass.KILLED}

    def test_what_it_leaves_running_does_not_hold_up_its_end(self, runner, request_for):
        """It would go on for longer than a test may last."""
        code = GOOD + "\nimport subprocess\nsubprocess.Popen(['sleep', '600'])"
        assert runner.run(request_for(code)).state is TrialState.DONE

    def test_cancel_stops_it(self, runner, request_for):
        cancel = threading.Event()
        threading.Timer(1.0, cancel.set).start()
        result = runner.run(request_for("import time; time.sleep(600)"), cancel=cancel)
        assert (result.state, result.failure) == (TrialState.CANCELLED, None)

    def test_the_environment_is_an_allow_list(self, runner, request_for, monkeypatch):
        monkeypatch.setenv("AIRFLOW_CONN_SECRET", "s3cret")
        monkeypatch.setenv("ARENA_TOKEN", "s3cret")
        code = GOOD + "\n(out / 'env.json').write_text(json.dumps(dict(os.environ)))"
        request = request_for(code)
        assert runner.run(request).state is TrialState.DONE
        environment = json.loads((request.output_dir / "env.json").read_text())
        assert "s3cret" not in environment.values()
        assert not [name for name in environment if name.startswith("AIRFLOW")]
        assert {"AB_CONFIG_JSON", "AB_DATA_DIR", "AB_OUTPUT_DIR"} <= environment.keys()

    def test_a_flooded_log_is_bounded_and_does_not_hang(self, runner, request_for):
        code = "import sys\nfor _ in range(3000): sys.stdout.write('x' * 20000)\n" + GOOD
        request = request_for(code)
        assert runner.run(request).state is TrialState.DONE
        assert (request.output_dir / "train.log").stat().st_size < 17 * 2**20

    def test_malformed_progress_is_ignored(self, runner, request_for):
        code = 'print(\'AB_PROGRESS {nonsense\')\nprint(\'AB_PROGRESS {"step": 1, "metrics": {"l": NaN}}\')\n' + GOOD
        seen = []
        assert runner.run(request_for(code), on_progress=seen.append).state is TrialState.DONE
        assert [p.step for p in seen] == [1, 0, 1, 2] and seen[0].metrics == {}
