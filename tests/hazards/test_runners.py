"""How trials and clusters really behave: pulls that are put off, results that are cut, bars beside progress lines."""

from __future__ import annotations

import json
import sys

import pytest
from tests.fakes.kubernetes_api import KubernetesApi

from auto_benchmark.artifacts.trial_output import read_metrics
from auto_benchmark.contract.failure import FailureClass
from auto_benchmark.contract.trial import BenchmarkRef, TrialConfig, TrialState
from auto_benchmark.runners.container import container_spec
from auto_benchmark.runners.kubernetes import Cluster, KubernetesRunner
from auto_benchmark.runners.local import LocalRunner
from auto_benchmark.runners.pod import pod_name
from auto_benchmark.runners.runner import TrialRequest

SOUND = """
import json, os, pathlib, sys
out = pathlib.Path(os.environ["AB_OUTPUT_DIR"])
(out / "predictions.jsonl").write_text(json.dumps({"id": "q0", "answer": 1}) + "\\n")
(out / "metrics.json").write_text(json.dumps({"metrics": {"latency_ms": 2.5}}))
"""


@pytest.fixture
def request_for(tmp_path):
    """A request for a trial whose code is given."""
    (tmp_path / "claim" / "data" / "view").mkdir(parents=True)
    data = tmp_path / "claim" / "data" / "view"
    (data / "inputs.jsonl").write_text('{"id": "q0"}\n')
    (tmp_path / "solution").mkdir()
    (tmp_path / "out").mkdir(mode=0o777)

    def build(code, *, pod=False):
        (tmp_path / "solution" / "train.py").write_text(code)
        command = ["python", "-c", code] if pod else ["python", "train.py"]
        config = TrialConfig(params={}, seed=3, budget_s=30, benchmark=BenchmarkRef(name="b", version="1"))
        image = "registry.example/trial@sha256:abc"
        return TrialRequest("trial-1", command, image, tmp_path / "solution", config, data, tmp_path / "out")

    return build


class TestKubernetes:
    @pytest.fixture
    def server(self, tmp_path, request_for):
        with KubernetesApi(tmp_path / "claim").running() as server:
            yield server
            assert server.pods == {}, "a pod was leaked"

    @pytest.fixture
    def runner(self, server):
        return KubernetesRunner(server.core_v1, Cluster(poll_s=0.1, startup_s=5, collect_s=5, lost_s=10))

    BACK_OFF = ("ImagePullBackOff", 'Back-off pulling image "registry.example/trial"')

    @pytest.mark.parametrize(
        "message",
        ["pull QPS exceeded", "429 Too Many Requests", "received unexpected HTTP status: 503 Service Unavailable"],
    )
    def test_a_pull_that_is_put_off_is_waited_for(self, runner, server, request_for, message):
        request = request_for(SOUND, pod=True)
        server.pulls[pod_name(container_spec(request))] = [("ErrImagePull", message), self.BACK_OFF, self.BACK_OFF]
        result = runner.run(request)
        assert (result.state, result.failure) == (TrialState.DONE, None)

    def test_an_image_that_does_not_exist_is_a_fault_of_the_environment(self, runner, server, request_for):
        request = request_for(SOUND, pod=True)
        absent = ("ErrImagePull", "manifest unknown: no such image")
        server.pulls[pod_name(container_spec(request))] = [absent] + [self.BACK_OFF] * 100
        assert runner.run(request).failure is FailureClass.ENVIRONMENT_ERROR

    def test_a_result_that_was_cut_is_read_again(self, runner, server, request_for):
        request = request_for(SOUND, pod=True)
        server.faults[pod_name(container_spec(request))] = "exec_broken_once"
        result = runner.run(request)
        assert result.state is TrialState.DONE
        assert read_metrics(request.output_dir) == {"latency_ms": 2.5}
        assert len(server.created) == 1

    def test_a_result_that_cannot_be_read_at_all_is_no_result(self, runner, server, request_for):
        request = request_for(SOUND, pod=True)
        server.faults[pod_name(container_spec(request))] = "broken_exec"
        assert runner.run(request).failure is FailureClass.NO_RESULT

    def test_a_broken_read_does_not_hide_why_the_trial_failed(self, runner, server, request_for):
        request = request_for("raise ValueError('the data set is missing')", pod=True)
        server.faults[pod_name(container_spec(request))] = "broken_exec"
        result = runner.run(request)
        assert (result.failure, result.exit_code) == (FailureClass.CRASH, 1)
        assert "the data set is missing" in result.message


class TestOutputOfATrial:
    BAR = """
import time
for step in range(4):
    sys.stderr.write(f"\\r{25 * step}%|" + "#" * step)
    sys.stderr.flush()
    print("AB_PROGRESS " + json.dumps({"step": step, "metrics": {"loss": 1.0}}), flush=True)
    time.sleep(0.05)
"""

    def test_progress_lines_beside_a_bar_all_arrive(self, request_for):
        seen = []
        result = LocalRunner().run(request_for(SOUND + self.BAR), on_progress=seen.append)
        assert result.state is TrialState.DONE
        assert [p.step for p in seen] == [0, 1, 2, 3]

    def test_bytes_of_any_kind_are_kept_in_the_log(self, request_for):
        code = SOUND + "sys.stdout.buffer.write(b'caf\\xe9 \\xf0\\x9f \\x00 \\x1b[31m' + b'x' * 300_000 + b'\\n')\n"
        request = request_for(code)
        assert LocalRunner().run(request).state is TrialState.DONE
        assert b"caf\xe9 \xf0\x9f \x00 \x1b[31m" in (request.output_dir / "train.log").read_bytes()

    def test_odd_last_words_are_told(self, request_for):
        code = "import sys\nsys.stderr.buffer.write(b'no caf\\xe9 today\\n')\nsys.stderr.flush()\nsys.exit(3)"
        result = LocalRunner().run(request_for(code))
        assert (result.failure, result.exit_code) == (FailureClass.CRASH, 3)
        assert "today" in result.message
        json.dumps(result.message, ensure_ascii=False).encode(sys.getdefaultencoding())
