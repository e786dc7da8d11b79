"""The one specification: what Docker and Kubernetes are told is the same, plain and hardened."""

import dataclasses
import json
from pathlib import Path

import pytest

from auto_benchmark.contract.trial import BenchmarkRef, TrialConfig
from auto_benchmark.registry.solution import Resources
from auto_benchmark.runners.container import container_spec
from auto_benchmark.runners.docker import container_arguments, host_limits
from auto_benchmark.runners.docker_engine import Offers
from auto_benchmark.runners.docker_follower import account
from auto_benchmark.runners.pod import LONGEST_LABEL, pod, pod_label
from auto_benchmark.runners.runner import TrialRequest

PLAIN = Offers(filters_calls=False, counts_sockets=False)


def a_request(**changes):
    config = TrialConfig(params={"k": 1}, seed=7, budget_s=60, benchmark=BenchmarkRef(name="b", version="1"))
    facts = {
        "trial_id": "ab-1", "command": ["python", "train.py"], "image": "i", "workdir": Path("/s"), "config": config,
        "data_dir": Path("/home/data/view"), "output_dir": Path("/o"),
        "resources": Resources(memory_mb=512, cpus=1.5),
    }  # fmt: skip
    return TrialRequest(**{**facts, **changes})


def test_docker_is_told_every_limit():
    limits = host_limits(container_spec(a_request()), PLAIN)
    assert limits["network_mode"] == "none" and limits["read_only"] and limits["cap_drop"] == ["ALL"]
    assert limits["mem_limit"] == limits["memswap_limit"] == 512 * 2**20
    assert limits["nano_cpus"] == 1_500_000_000 and limits["pids_limit"] == 256
    assert limits["security_opt"] == ["no-new-privileges"]
    assert "device_requests" not in limits, "a trial without GPUs carries no device request at all"
    assert "binds" not in limits and "privileged" not in limits
    arguments = container_arguments(container_spec(a_request()))
    assert arguments["user"] == "65534:65534" and arguments["volumes"] == ["/ab/out", "/ab/data"]


def test_code_that_enters_is_the_working_directory_and_part_of_the_key():
    own, entering = (container_spec(a_request(code_sha256="a" * 16, code_enters=enters)) for enters in (False, True))
    arguments = container_arguments(entering)
    assert arguments["working_dir"] == "/ab/code" and "/ab/code" in arguments["volumes"]
    assert "working_dir" not in container_arguments(own)
    other = container_spec(a_request(code_sha256="b" * 16, code_enters=True))
    assert len({own.key, entering.key, other.key}) == 3


def test_gpus_are_requested_and_the_trial_is_told_how_many():
    spec = container_spec(a_request(resources=Resources(gpus=2)))
    assert host_limits(spec, PLAIN)["device_requests"] == [{"count": 2, "capabilities": [["gpu"]]}]
    assert spec.environment["AB_GPUS"] == "2"
    assert "AB_GPUS" not in container_spec(a_request()).environment


def test_the_key_changes_with_whatever_the_container_would_do():
    first = container_spec(a_request())
    assert first.key == container_spec(a_request()).key
    others = [
        a_request(image="j"), a_request(command=["python", "b.py"]), a_request(resources=Resources(memory_mb=511)),
        a_request(config=a_request().config.model_copy(update={"seed": 8})),
    ]  # fmt: skip
    assert len({first.key, *(container_spec(other).key for other in others)}) == 5


def test_the_specification_is_plain_json():
    spec = container_spec(a_request(resources=Resources(gpus=1)))
    told = [host_limits(spec, PLAIN), container_arguments(spec), pod(spec, data_claim="c", data_path="data/view")]
    assert json.loads(json.dumps(told)) == told, "nothing but what JSON has, and no key or tuple that it changes"


def test_pod_and_container_have_the_same_limits():
    spec = container_spec(a_request(resources=Resources(memory_mb=512, cpus=1.5, gpus=1)))
    trial, collector = pod(spec, data_claim="c", data_path="data/view")["spec"]["containers"]
    assert trial["resources"]["limits"]["memory"] == "512Mi" and trial["resources"]["limits"]["cpu"] == "1.5"
    assert {e["name"]: e["value"] for e in trial["env"]} == dict(spec.environment)
    assert trial["args"] == list(spec.command) and "command" not in trial, "the image's entrypoint stays in front"
    assert [m["mountPath"] for m in collector["volumeMounts"]] == ["/ab/out"]


@pytest.mark.parametrize(
    "project", ["default", "a_project_with_a_rather_long_name_that_does_not_fit_into_a_dns_label"]
)
def test_labels_are_dns_labels_and_stay_different(project):
    labels = {pod_label(f"ab-1234abcd-{project}-{number}") for number in range(200)}
    assert len(labels) == 200
    assert all(len(label) <= LONGEST_LABEL and label == label.lower() and "_" not in label for label in labels)


def test_overrides_reach_the_pod():
    spec = container_spec(a_request())
    made = pod(spec, data_claim="c", data_path="d", overrides={"nodeSelector": {"gpu": "h100"}})
    assert made["spec"]["nodeSelector"] == {"gpu": "h100"} and made["spec"]["restartPolicy"] == "Never"
    assert dataclasses.asdict(spec)["deadline_s"] == 60


def test_an_account_holds_finite_numbers_alone():
    line = b'AB_USAGE {"cpu_s": 1.5, "peak_memory_mb": 20.25}'
    assert account(line) == {"cpu_s": 1.5, "peak_memory_mb": 20.25}
    assert account(b'AB_USAGE {"a": NaN, "b": 1e999, "c": -1.0, "d": "1", "e": true, "f": 1e9}') == {}
    for odd in (b"AB_PROGRESS {}", b"AB_USAGE", b"AB_USAGE [1.0]", b"AB_USAGE \xff", b"AB_USAGE " + b"[" * 100_000):
        assert account(odd) == {}
