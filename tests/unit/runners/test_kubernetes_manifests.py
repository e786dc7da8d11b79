"""The manifests of the guide fit what the runner asks of a cluster."""

from pathlib import Path

import yaml

from auto_benchmark.runners.kubernetes import Cluster

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
