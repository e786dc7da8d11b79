"""A real MLflow server in a process of its own, which can be killed and started again with its data."""

from __future__ import annotations

import contextlib
import os
import signal
import socket
import subprocess
import sys
import time
import urllib.request
from pathlib import Path

READY_SECONDS = 90


class MlflowServer:
    """One server on one port; the store below ``folder`` outlives it."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        with socket.create_server(("127.0.0.1", 0)) as free:
            self.port = free.getsockname()[1]
        self.url = f"http://127.0.0.1:{self.port}"
        self.process: subprocess.Popen[bytes] | None = None

    def start(self) -> MlflowServer:
        """Start it and wait until it answers."""
        words = [
            "--host", "127.0.0.1", "--port", str(self.port), "--workers", "1", "--serve-artifacts",
            "--artifacts-destination", str(self.folder / "artifacts"),
            "--backend-store-uri", f"sqlite:///{self.folder}/mlflow.db",
        ]  # fmt: skip
        environment = {**os.environ, "MLFLOW_SERVER_ENABLE_JOB_EXECUTION": "false"}
        with (self.folder / "log").open("ab") as log:
            self.process = subprocess.Popen(
                [sys.executable, "-m", "mlflow", "server", *words], env=environment, cwd=self.folder, stdout=log,
                stderr=log, start_new_session=True,
            )  # fmt: skip
        deadline = time.monotonic() + READY_SECONDS
        while time.monotonic() < deadline and self.process.poll() is None:
            with contextlib.suppress(OSError), urllib.request.urlopen(f"{self.url}/health", timeout=2):
                return self
            time.sleep(0.2)
        raise RuntimeError("MLflow did not start:\n" + (self.folder / "log").read_text()[-2000:])

    def kill(self) -> None:
        """End it and its workers without warning."""
        if self.process is not None:
            with contextlib.suppress(ProcessLookupError):
                os.killpg(self.process.pid, signal.SIGKILL)
            self.process.wait()
