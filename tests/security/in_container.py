"""Runs a command of ours in a container with Docker's defaults: ``python in_container.py JSON COMMAND...``.

The container shares the machine's networks, processes and shared memory, so that nothing but the runner keeps a trial from
them; the engine's own filter of system calls forbids new namespaces, as it does in a deployment in a container.
"""

from __future__ import annotations

import contextlib
import json
import os
import sys
import sysconfig
from pathlib import Path

PASSED = ("AUTO_BENCHMARK_", "PYTHONPATH")
LIBRARIES = sysconfig.get_path("purelib")


def main() -> None:
    import docker

    asked, words = json.loads(sys.argv[1]), sys.argv[2:]
    repository = Path(__file__).resolve().parents[2]
    environment = {name: value for name, value in os.environ.items() if name.startswith(PASSED)}
    environment["PYTHONPATH"] = os.pathsep.join([str(repository / "include"), LIBRARIES])
    machine = sysconfig.get_config_var("MULTIARCH")
    shared = [repository, Path(LIBRARIES), Path("/usr/lib", machine), Path("/lib", machine)]
    readable = {str(place): {"bind": str(place), "mode": "ro"} for place in shared}
    writable = {place: {"bind": place, "mode": "rw"} for place in asked["own"]}
    with contextlib.closing(docker.from_env()) as client:
        container = client.containers.run(
            asked["image"], ["python", *words[1:]], environment=environment, volumes=readable | writable, detach=True,
            user=asked["user"] or 0, network_mode="host", pid_mode="host", ipc_mode="host", working_dir="/",
        )  # fmt: skip
        try:
            code = container.wait(timeout=60)["StatusCode"]
            sys.stdout.buffer.write(container.logs(stdout=True, stderr=False))
            sys.stderr.buffer.write(container.logs(stdout=False, stderr=True))
        finally:
            container.remove(force=True, v=True)
    raise SystemExit(code)


if __name__ == "__main__":
    main()
