"""The manifests of the guide fit what the runner asks of a cluster."""

import copy
import json
from pathlib import Path

import pytest
import yaml

from auto_benchmark.contract.trial import BenchmarkRef, TrialConfig
from auto_benchmark.registry.solution import Resources
from auto_benchmark.runners.container import container_spec
from auto_benchmark.runners.kubernetes import Cluster
from auto_benchmark.runners.pod import pod
from auto_benchmark.runners.runner import TrialRequest

FOLDER = Path(__file__).resolve().parents[3] / "docs" / "how_to" / "kubernetes"


def manifests():
    return [m for file in sorted(FOLDER.glob("*.yaml")) for m in yaml.safe_load_all(file.read_text())]


def of_kind(kind):
    return [m for m in manifests() if m["kind"] == kind]


def test_everything_lies_in_the_namespace_that_the_runner_uses():
    assert [m["metadata"]["name"] for m in of_kind("Namespace")] == [Cluster().namespace]
    others = [m for m in manifests() if m["kind"] != "Namespace"]
    assert others and {m["metadata"]["namespace"] for m in others} == {Cluster().namespace}
    assert [m["metadata"]["name"] for m in of_kind("PersistentVolumeClaim")] == [Cluster().data_claim]


def test_the_role_allows_what_a_trial_needs_and_nothing_else():
    (role,) = of_kind("Role")
    allowed = {(r, v) for rule in role["rules"] for r in rule["resources"] for v in rule["verbs"]}
    pods = {("pods", verb) for verb in ("create", "get", "list", "delete")}
    assert allowed == pods | {("pods/log", "get"), ("pods/exec", "create"), ("pods/exec", "get")}


def test_trials_talk_to_nobody():
    (policy,) = of_kind("NetworkPolicy")
    assert policy["spec"]["podSelector"] == {} and set(policy["spec"]["policyTypes"]) == {"Ingress", "Egress"}
    assert "ingress" not in policy["spec"] and "egress" not in policy["spec"]


def a_pod():
    config = TrialConfig(params={"k": 1}, seed=7, budget_s=60, benchmark=BenchmarkRef(name="b", version="1"))
    request = TrialRequest(
        "ab-1", ["python", "train.py"], "i", Path("/s"), config, Path("/d"), Path("/o"), Resources(gpus=1)
    )
    overrides = {"nodeSelector": {"gpu": "h100"}, "tolerations": [{"key": "gpu", "operator": "Exists"}]}
    return pod(container_spec(request), data_claim="c", data_path="data/view", overrides=overrides)


def test_a_pods_host_name_is_not_its_trials():
    assert a_pod()["spec"]["hostname"] == "trial" and a_pod()["metadata"]["name"] == "ab-1"


def as_kubernetes_reads_it(manifest):
    """What is left of a manifest in the client's models, which are generated from Kubernetes' own API description."""
    from kubernetes import client

    api = client.ApiClient()
    answer = type("Answer", (), {"data": json.dumps(manifest)})
    return api.sanitize_for_serialization(api.deserialize(answer, f"V1{manifest['kind']}"))


@pytest.mark.parametrize("manifest", [*manifests(), a_pod()], ids=lambda m: m["kind"])
def test_a_manifest_holds_nothing_that_kubernetes_does_not_know(manifest):
    assert as_kubernetes_reads_it(manifest) == manifest
    mistaken = copy.deepcopy(manifest)
    mistaken["metadata"]["labelz"] = {"a": "b"}
    assert as_kubernetes_reads_it(mistaken) != mistaken


def test_a_pod_fits_the_restricted_security_standard_of_its_namespace():
    (namespace,) = of_kind("Namespace")
    assert namespace["metadata"]["labels"]["pod-security.kubernetes.io/enforce"] == "restricted"
    spec = a_pod()["spec"]
    assert not {"hostNetwork", "hostPID", "hostIPC"} & spec.keys()
    assert spec["securityContext"]["runAsNonRoot"] and spec["securityContext"]["runAsUser"] > 0
    assert spec["securityContext"]["seccompProfile"]["type"] == "RuntimeDefault"
    allowed = {
        "configMap",
        "csi",
        "downwardAPI",
        "emptyDir",
        "ephemeral",
        "persistentVolumeClaim",
        "projected",
        "secret",
    }
    assert all(volume.keys() - {"name"} <= allowed for volume in spec["volumes"])
    for container in spec["containers"]:
        context = container["securityContext"]
        assert context["allowPrivilegeEscalation"] is False and context["capabilities"] == {"drop": ["ALL"]}
        assert not any("hostPort" in port for port in container.get("ports", []))
