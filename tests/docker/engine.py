"""A Docker engine for the tests: the one that ``DOCKER_HOST`` names, or a ``dockerd`` of our own.

Our own keeps everything in one directory, makes no bridge and touches no firewall rules, so it runs beside any other
engine and leaves nothing behind. ``python -m tests.docker.engine`` runs one in the foreground and builds the base
image.
"""

from __future__ import annotations

import contextlib
import os
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

import psutil

import docker

START_SECONDS = 60


class Engine:
    """A ``dockerd`` below one directory. ``kill`` and ``start`` may be repeated: images and containers stay."""

    def __init__(self, root: Path) -> None:
        self.root = root
        self.url = f"unix://{root / 'docker.sock'}"
        self.process: subprocess.Popen[bytes] | None = None

    def start(self) -> Engine:
        """Start it and wait until it answers. Raises RuntimeError with the end of its log."""
        self.root.mkdir(parents=True, exist_ok=True)
        (self.root / "docker.pid").unlink(missing_ok=True)
        self._forget_dead_containerd()
        with (self.root / "log").open("ab") as log:
            self.process = subprocess.Popen(self._command(), stdout=log, stderr=log, start_new_session=True)
        deadline = time.monotonic() + START_SECONDS
        while time.monotonic() < deadline and self.process.poll() is None:
            with contextlib.suppress(Exception), contextlib.closing(docker.DockerClient(self.url)) as client:
                if client.ping():
                    return self
            time.sleep(0.2)
        raise RuntimeError("dockerd did not start:\n" + (self.root / "log").read_text()[-2000:])

    def kill(self) -> None:
        """End it as a machine without mercy would."""
        self._end(signal.SIGKILL)

    def stop(self) -> None:
        """End it in order: its containers end too."""
        self._end(signal.SIGTERM)
        self._end_the_rest()
        shutil.rmtree(self.root, ignore_errors=True)

    def _command(self) -> list[str]:
        return [
            "dockerd", "--data-root", f"{self.root}/data", "--exec-root", f"{self.root}/exec",
            "--pidfile", f"{self.root}/docker.pid", "--host", self.url,
            "--iptables=false", "--ip6tables=false", "--bridge=none", "--live-restore",
        ]  # fmt: skip

    def _end(self, how: signal.Signals) -> None:
        if self.process and self.process.poll() is None:
            self.process.send_signal(how)
            try:
                self.process.wait(20)
            except subprocess.TimeoutExpired:
                self.process.kill()
                self.process.wait()

    def _forget_dead_containerd(self) -> None:
        """A killed dockerd takes its containerd along; unreaped, it would look alive to the next one."""
        file = self.root / "exec/containerd/containerd.pid"
        with contextlib.suppress(OSError, ValueError, psutil.NoSuchProcess):
            containerd = psutil.Process(int(file.read_text()))
            deadline = time.monotonic() + 5
            while containerd.status() != psutil.STATUS_ZOMBIE and time.monotonic() < deadline:
                time.sleep(0.05)
        file.unlink(missing_ok=True)

    def _end_the_rest(self) -> None:
        """containerd and the shims of containers that outlived an engine; all name our directory."""
        for process in psutil.process_iter():
            with contextlib.suppress(psutil.Error):
                if any(str(self.root) in word for word in process.cmdline()) and process.pid != os.getpid():
                    process.kill()
        for mount in sorted((m for m in psutil.disk_partitions(all=True) if m.mountpoint.startswith(str(self.root))),
                            key=lambda m: -len(m.mountpoint)):  # fmt: skip
            subprocess.run(["umount", "-l", mount.mountpoint], check=False, capture_output=True)


def available() -> str | None:
    """Why no engine can be had here; None when one can."""
    if os.environ.get("DOCKER_HOST") or (shutil.which("dockerd") and os.geteuid() == 0):
        return None
    return "needs DOCKER_HOST, or root and dockerd (tests/docker/install.sh)"


@contextlib.contextmanager
def running_engine() -> Iterator[Engine | None]:
    """The environment's engine (None), or one of our own, named by ``DOCKER_HOST`` meanwhile."""
    if os.environ.get("DOCKER_HOST"):
        yield None
        return
    engine = Engine(Path(tempfile.mkdtemp(prefix="ab-docker-"))).start()
    os.environ["DOCKER_HOST"] = engine.url
    try:
        yield engine
    finally:
        remove_everything(engine.url)
        del os.environ["DOCKER_HOST"]
        engine.stop()


def remove_everything(url: str) -> None:
    """Remove every container of an engine of our own."""
    with contextlib.suppress(Exception), contextlib.closing(docker.DockerClient(url)) as client:
        for container in client.containers.list(all=True, ignore_removed=True):
            with contextlib.suppress(docker.errors.APIError):
                container.remove(force=True, v=True)


def main() -> None:
    """Run an engine with the base image until interrupted."""
    from tests.docker.base_image import build_base_image

    os.environ.pop("DOCKER_HOST", None)
    with running_engine() as engine:
        assert engine is not None
        with contextlib.closing(docker.DockerClient(engine.url)) as client:
            print(f"export DOCKER_HOST={engine.url} BASE_IMAGE={build_base_image(client)}", flush=True)
        signal.signal(signal.SIGTERM, lambda *_: sys.exit(0))
        with contextlib.suppress(KeyboardInterrupt):
            signal.pause()


if __name__ == "__main__":
    main()
