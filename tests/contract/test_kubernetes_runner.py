"""The Kubernetes runner keeps the runner contract over the wire, and classes every way in which a cluster fails."""

import dataclasses
import json
import shutil
import threading
from pathlib import Path

import pytest
import yaml
from tests.contract.runner_contract import GOOD, RunnerContract
from tests.fakes.kubernetes_api import KubernetesApi
from tests.waiting import LIMIT_S, eventually

from auto_benchmark.artifacts.fingerprint import environment_fingerprint
from auto_benchmark.contract.failure import FailureClass
from auto_benchmark.contract.trial import TrialState
from auto_benchmark.registry.solution import Resources
from auto_benchmark.runners import kubernetes
from auto_benchmark.runners.container import TRIAL_LABEL, container_spec
from auto_benchmark.runners.kubernetes import Cluster, KubernetesRunner
from auto_benchmark.runners.pod import pod_name

REPOSITORY = Path(__file__).resolve().parents[2]
SLOW = GOOD + "\nimport time; time.sleep(600)"
"""Who waits for its end, or for its budget of 30 s, gets another failure class."""


class TestKubernetesRunner(RunnerContract):
    @pytest.fixture
    def server(self, tmp_path):
        with KubernetesApi(tmp_path / "claim").running() as server:
            yield server
            assert server.pods == {}, "a pod was leaked"
            assert server.asked <= allowed_by_the_role(), "the Role of the guide does not allow it"

    @pytest.fixture
    def runner(self, server):
        cluster = Cluster(poll_s=0.1, startup_s=3, collect_s=5, lost_s=20)
        return KubernetesRunner(server.core_v1, cluster)

    @pytest.fixture
    def place_for(self):
        return lambda code: (["python", "-c", code], "registry.example/trial@sha256:abc")

    @pytest.fixture(autouse=True)
    def claim(self, tmp_path, request_for):
        """The claim's data lies where the runner says: ``data/<view>``."""
        (tmp_path / "claim" / "data").mkdir(parents=True)
        shutil.copytree(tmp_path / "data", tmp_path / "claim" / "data" / "data")

    def test_a_fork_storm_is_stopped(self, runner):
        assert any("podPidsLimit" in words for words in runner.not_isolated)  # the kubelet's to enforce, and said so

    def test_the_pod_is_hardened(self, runner, server, request_for):
        request = request_for(GOOD, resources=Resources(gpus=1, cpus=2.0, memory_mb=512))
        runner.run(request)
        spec = server.created[0]["spec"]
        assert spec["automountServiceAccountToken"] is False and spec["enableServiceLinks"] is False
        assert spec["securityContext"]["runAsNonRoot"] and spec["securityContext"]["runAsUser"] == 65534
        trial, collector = spec["containers"]
        assert trial["image"] == collector["image"] == request.image
        for container in (trial, collector):
            security = container["securityContext"]
            assert security["readOnlyRootFilesystem"] and not security["allowPrivilegeEscalation"]
            assert security["capabilities"] == {"drop": ["ALL"]}
        limits = trial["resources"]["limits"]
        assert limits == trial["resources"]["requests"]
        assert (limits["nvidia.com/gpu"], limits["memory"], limits["cpu"]) == ("1", "512Mi", "2")
        mounts = {m["mountPath"]: m.get("readOnly", False) for m in trial["volumeMounts"]}
        assert mounts == {"/ab/out": False, "/tmp": False, "/ab/data": True}
        assert next(v for v in spec["volumes"] if v["name"] == "out")["emptyDir"]["sizeLimit"]

    def test_code_that_is_not_the_image_s_lies_read_only_where_the_trial_works(
        self, runner, server, request_for, tmp_path
    ):
        tree = "0123456789abcdef"
        copy = tmp_path / "claim" / "code" / tree / "toy"
        copy.mkdir(parents=True)
        (copy / "helping.py").write_text(GOOD)
        request = dataclasses.replace(
            request_for(""), command=["python", "helping.py"], workdir=copy, code_sha256=tree, code_enters=True,
            lock_sha256="l1", image_lock_sha256="l1",
        )  # fmt: skip
        result = runner.run(request)
        assert (result.state, result.failure) == (TrialState.DONE, None), result.message
        trial = server.created[0]["spec"]["containers"][0]
        assert trial["workingDir"] == "/ab/code"
        (mount,) = [m for m in trial["volumeMounts"] if m["mountPath"] == "/ab/code"]
        assert mount == {"name": "data", "mountPath": "/ab/code", "subPath": f"code/{tree}/toy", "readOnly": True}

    def test_code_enters_no_image_of_another_lock(self, runner, server, request_for):
        request = dataclasses.replace(
            request_for(GOOD), code_sha256="0" * 16, code_enters=True, lock_sha256="l2", image_lock_sha256="l1"
        )
        result = runner.run(request)
        assert result.failure is FailureClass.ENVIRONMENT_ERROR
        assert "is built for requirements.lock l1, and this code has l2" in result.message
        assert server.created == []

    @pytest.mark.parametrize(
        ("fault", "code", "failure", "words"),
        [
            ("image_pull", GOOD, FailureClass.ENVIRONMENT_ERROR, "ImagePullBackOff"),
            ("unschedulable", GOOD, FailureClass.ENVIRONMENT_ERROR, "insufficient nvidia.com/gpu"),
            ("forbidden", GOOD, FailureClass.ENVIRONMENT_ERROR, "Forbidden"),
            ("evicted", SLOW, FailureClass.KILLED, "Evicted"),
            ("node_lost", SLOW, FailureClass.KILLED, "vanished"),
            ("node_silent", SLOW, FailureClass.KILLED, "NodeLost: node n1 is unresponsive"),
            ("deleted", SLOW, FailureClass.KILLED, "vanished"),
            ("terminating", SLOW, FailureClass.KILLED, "its pod is being deleted"),
            ("oom_exit_0", GOOD, FailureClass.OOM_HOST, ""),
            ("hanging_exec", GOOD, FailureClass.KILLED, "did not answer"),
            ("broken_exec", GOOD, FailureClass.NO_RESULT, "result was lost"),
        ],
    )
    def test_each_way_in_which_a_cluster_fails_has_its_class(
        self, runner, server, request_for, fault, code, failure, words
    ):
        request = request_for(code)
        server.faults[pod_name(container_spec(request))] = fault
        result = runner.run(request)
        assert (result.state, result.failure) == (TrialState.FAILED, failure), result
        assert words in result.message

    def test_an_api_server_that_is_away_for_a_while_is_waited_for(self, runner, server, request_for):
        request = request_for(GOOD + "\nimport time; time.sleep(1)")
        server.faults[pod_name(container_spec(request))] = "away"
        assert runner.run(request).state is TrialState.DONE

    def test_a_log_that_never_answers_costs_its_deadline_alone(self, runner, server, request_for, monkeypatch):
        monkeypatch.setattr(kubernetes, "REQUEST_SECONDS", (1, 1))
        request = request_for(GOOD + "\nimport time; time.sleep(1)")
        server.faults[pod_name(container_spec(request))] = "hanging_log"
        seen = []
        assert runner.run(request, on_progress=seen.append).state is TrialState.DONE
        assert [p.step for p in seen] == [0, 1, 2], "the trial's own log has what the cluster's did not tell"

    def test_the_role_allows_nothing_that_is_never_asked(self, runner, server, request_for):
        runner.run(request_for(GOOD), on_progress=print)
        runner.sweep(lambda name: False)
        assert allowed_by_the_role() - server.asked == {("pods/exec", "create")}  # newer servers ask for it too

    def test_a_restarted_worker_finds_its_pod(self, runner, server, request_for):
        request = request_for(GOOD + "\nimport time; time.sleep(3)")
        abandoned = threading.Event()
        runner_that_dies = KubernetesRunner(_dying(server.core_v1, abandoned), Cluster(poll_s=0.1))
        first = threading.Thread(target=_quietly, args=(runner_that_dies, request), daemon=True)
        first.start()
        eventually(lambda: server.pods, "the pod")
        abandoned.set()
        first.join(LIMIT_S)
        again = dataclasses.replace(request)
        assert runner.run(again).state is TrialState.DONE
        assert len(server.created) == 1

    def test_leaked_pods_are_swept(self, runner, server, request_for):
        request = request_for(SLOW)
        server.core_v1().create_namespaced_pod("auto-benchmark", _manifest(request))
        others = _manifest(request) | {"metadata": {"name": "somebody-elses", "labels": {"app": "web"}}}
        server.core_v1().create_namespaced_pod("auto-benchmark", others)
        assert runner.sweep(lambda name: False) == []
        assert runner.sweep(lambda name: name == pod_name(container_spec(request))) == [
            pod_name(container_spec(request))
        ]
        assert runner.sweep(lambda name: True) == [] and list(server.pods) == ["somebody-elses"]
        server.core_v1().delete_namespaced_pod("somebody-elses", "auto-benchmark")

    def test_what_outlived_its_deadline_by_far_is_swept_whoever_started_it(self, runner, server, request_for):
        for name, day in (("old", "2020-01-01"), ("young", "2999-01-01")):
            manifest = _manifest(request_for(SLOW))
            manifest["metadata"] |= {
                "name": name,
                "labels": {TRIAL_LABEL: name},
                "creationTimestamp": f"{day}T00:00:00Z",
            }
            server.core_v1().create_namespaced_pod("auto-benchmark", manifest)
        assert runner.sweep(lambda name: False) == ["old"]
        assert runner.sweep(lambda name: True) == ["young"]

    def test_the_fingerprint_does_not_claim_the_workers_own_hardware(self, runner, tmp_path):
        facts = runner.facts("registry.example/trial@sha256:abc")
        found = environment_fingerprint(tmp_path, runner="kubernetes", data_sha256="d", runner_facts=facts)
        assert found["image"] == "registry.example/trial@sha256:abc"
        assert {found["cpu"], found["gpu"], found["machine"]} == {"a node of the cluster"}

    def test_the_manifest_is_json(self, request_for):
        assert json.loads(json.dumps(_manifest(request_for(GOOD))))["kind"] == "Pod"


def allowed_by_the_role():
    """Resource and verb of everything that the Role in the guide allows."""
    roles = yaml.safe_load_all((REPOSITORY / "docs/how_to/kubernetes/rbac.yaml").read_text())
    rules = next(m for m in roles if m["kind"] == "Role")["rules"]
    return {(resource, verb) for rule in rules for resource in rule["resources"] for verb in rule["verbs"]}


def _manifest(request):
    from auto_benchmark.runners.pod import pod

    return pod(container_spec(request), data_claim="c", data_path=f"data/{request.data_dir.name}")


class _Abandoned(BaseException):
    """The worker is gone: nothing of it runs any more."""


def _dying(connect, abandoned):
    """A connection whose owner vanishes without deleting its pod."""

    class Api:
        def __init__(self):
            self._real = connect()

        def __getattr__(self, name):
            if abandoned.is_set():
                raise _Abandoned
            return getattr(self._real, name)

    return Api


def _quietly(runner, request):
    try:
        runner.run(request)
    except _Abandoned:
        return
