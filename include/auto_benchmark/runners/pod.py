"""A trial's container specification as a Kubernetes pod, the counterpart of what Docker is given. Pure.

The pod has two containers of the same image: ``trial``, and ``collector``, which sees the output read-only and waits
to be asked for an archive of it, so no further image is pulled. The trial's own exit code stays readable meanwhile.
"""

from __future__ import annotations

import hashlib
from typing import Any

from auto_benchmark.runners.container import (
    CONTAINER_CODE_DIR,
    NOBODY,
    SCRATCH,
    SPARE_SECONDS,
    SPEC_LABEL,
    TRIAL_LABEL,
    ContainerSpec,
)
from auto_benchmark.runners.environment import CONTAINER_DATA_DIR, CONTAINER_OUTPUT_DIR

LONGEST_LABEL = 63
TRIAL, COLLECTOR = "trial", "collector"
WAIT = ["python", "-c", "import signal; signal.pause()"]
COLLECT = [
    "python", "-c",
    "import sys, tarfile; t = tarfile.open(fileobj=sys.stdout.buffer, mode='w|'); "
    f"t.add('{CONTAINER_OUTPUT_DIR}', 'out'); t.close()",
]  # fmt: skip
UNPRIVILEGED = {
    "readOnlyRootFilesystem": True,
    "allowPrivilegeEscalation": False,
    "privileged": False,
    "capabilities": {"drop": ["ALL"]},
}


def pod_label(trial_id: str) -> str:
    """A trial's id as a DNS label, which a pod's name has to be."""
    label = trial_id.lower().replace("_", "-").lstrip("-.")
    if len(label) <= LONGEST_LABEL:
        return label
    return f"{label[: LONGEST_LABEL - 9]}-{hashlib.sha256(trial_id.encode()).hexdigest()[:8]}"


def pod_name(spec: ContainerSpec) -> str:
    """Name of the trial's pod."""
    return pod_label(spec.name)


def pod(
    spec: ContainerSpec,
    *,
    data_claim: str,
    data_path: str,
    code_path: str = "",
    overrides: dict[str, Any] | None = None,
) -> Any:
    """The manifest.

    Args:
        spec: the container.
        data_claim: a PersistentVolumeClaim that holds benchmark data.
        data_path: path of the trial's data view inside the claim.
        code_path: path inside the claim of code that is not the image's own, which the trial works in.
        overrides: more keys of the pod's ``spec``, e.g. ``nodeSelector`` and ``tolerations``.
    """
    return {
        "apiVersion": "v1",
        "kind": "Pod",
        "metadata": {"name": pod_name(spec), "labels": {TRIAL_LABEL: pod_name(spec), SPEC_LABEL: spec.key}},
        "spec": {
            "hostname": TRIAL,  # else the pod's name, which a trial could read
            "restartPolicy": "Never",
            "activeDeadlineSeconds": int(spec.deadline_s) + SPARE_SECONDS,
            "automountServiceAccountToken": False,
            "enableServiceLinks": False,
            "terminationGracePeriodSeconds": 0,
            "securityContext": {
                "runAsNonRoot": True, "runAsUser": NOBODY, "runAsGroup": NOBODY, "fsGroup": NOBODY,
                "seccompProfile": {"type": "RuntimeDefault"},
            },
            "containers": [_trial(spec, data_path, code_path), _collector(spec)],
            "volumes": [
                {"name": "out", "emptyDir": {"sizeLimit": f"{spec.output_mb + 16}Mi"}},
                {"name": "tmp", "emptyDir": {"medium": "Memory", "sizeLimit": f"{spec.tmp_mb}Mi"}},
                {"name": "data", "persistentVolumeClaim": {"claimName": data_claim, "readOnly": True}},
            ],
            **(overrides or {}),
        },
    }  # fmt: skip


def _trial(spec: ContainerSpec, data_path: str, code_path: str) -> dict[str, Any]:
    disk = f"{spec.output_mb + 64}Mi"
    limits = {"cpu": f"{spec.cpus:g}", "memory": f"{spec.memory_mb}Mi", "ephemeral-storage": disk}
    if spec.gpus:
        limits["nvidia.com/gpu"] = str(spec.gpus)
    code = {"name": "data", "mountPath": CONTAINER_CODE_DIR, "subPath": code_path, "readOnly": True}
    return ({"workingDir": CONTAINER_CODE_DIR} if spec.code else {}) | {
        "name": TRIAL,
        "image": spec.image,
        "args": list(spec.command),
        "env": [{"name": name, "value": value} for name, value in spec.environment.items()],
        "resources": {"limits": limits, "requests": limits},
        "securityContext": UNPRIVILEGED,
        "volumeMounts": [
            {"name": "out", "mountPath": CONTAINER_OUTPUT_DIR},
            {"name": "tmp", "mountPath": SCRATCH},
            {"name": "data", "mountPath": CONTAINER_DATA_DIR, "subPath": data_path, "readOnly": True},
            *([code] if spec.code else []),
        ],
    }


def _collector(spec: ContainerSpec) -> dict[str, Any]:
    limits = {"cpu": "100m", "memory": "64Mi"}
    return {
        "name": COLLECTOR,
        "image": spec.image,
        "command": WAIT,
        "resources": {"limits": limits, "requests": limits},
        "securityContext": UNPRIVILEGED,
        "volumeMounts": [{"name": "out", "mountPath": CONTAINER_OUTPUT_DIR, "readOnly": True}],
    }
