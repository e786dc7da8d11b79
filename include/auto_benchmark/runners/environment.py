"""The environment of a trial: an allow-list, the same for every runner. Nothing of the caller's leaks in."""

from __future__ import annotations

import os

from auto_benchmark.runners.runner import TrialRequest

CONTAINER_DATA_DIR = "/ab/data"
CONTAINER_OUTPUT_DIR = "/ab/out"


def trial_environment(request: TrialRequest, *, data_dir: str, output_dir: str, scratch: str) -> dict[str, str]:
    """Variables that a trial sees.

    Args:
        request: the attempt.
        data_dir: where the trial finds its data.
        output_dir: where it writes.
        scratch: a private directory for HOME and temporary files.
    """
    threads = str(max(1, int(request.resources.cpus)))
    seed = request.config.seed if request.config.seed is not None else (request.config.seeds or [0])[0]
    local = request.environment is not None and data_dir != CONTAINER_DATA_DIR
    own = f"{request.environment}/bin:" if local else ""
    return {
        "AB_CONFIG_JSON": request.config.to_json(),
        "AB_DATA_DIR": data_dir,
        "AB_OUTPUT_DIR": output_dir,
        "PATH": f"{own}/usr/local/bin:{os.defpath}",
        "HOME": scratch,
        "TMPDIR": scratch,
        "LANG": "C.UTF-8",
        "PYTHONHASHSEED": str(seed % 2**32),
        "PYTHONUNBUFFERED": "1",
        "PYTHONDONTWRITEBYTECODE": "1",
        "CUBLAS_WORKSPACE_CONFIG": ":4096:8",
        **({"AB_GPUS": str(request.resources.gpus)} if request.resources.gpus else {}),
        **dict.fromkeys(
            ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS", "NUMEXPR_NUM_THREADS"), threads
        ),
    }
