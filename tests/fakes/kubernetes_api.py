"""The part of the Kubernetes API that a trial's pod needs, over real HTTP and WebSockets; pods are local processes.

It runs the ``trial`` container's command through the entrypoint with the pod's environment, enforces the memory limit
as a kubelet does, and answers exec in the collector. ``faults`` maps a pod's name to one way in which clusters fail,
``pulls`` to the states in which it is seen, one a look, before it starts.
"""

from __future__ import annotations

import asyncio
import contextlib
import json
import shutil
import socket
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Iterator
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import psutil
import uvicorn
from fastapi import FastAPI, Request, WebSocket
from fastapi.responses import JSONResponse, PlainTextResponse

from auto_benchmark.runners import entrypoint

FAULTS = (
    "image_pull", "unschedulable", "evicted", "node_lost", "oom_exit_0", "hanging_exec", "broken_exec", "away",
    "forbidden", "deleted", "node_silent", "terminating", "hanging_log", "exec_broken_once",
)  # fmt: skip
AWAY_SECONDS = 3.0


def stamp() -> str:
    return datetime.now(UTC).strftime("%Y-%m-%dT%H:%M:%S.%fZ")


@dataclass
class FakePod:
    """One pod and its process."""

    manifest: dict[str, Any]
    data_root: Path
    fault: str | None
    pulls: list[tuple[str, str]] = field(default_factory=list)
    root: Path = field(default_factory=lambda: Path(tempfile.mkdtemp(prefix="pod-")))
    process: subprocess.Popen[bytes] | None = None
    started_at: str = ""
    finished_at: str = ""
    oom: bool = False
    lines: list[tuple[str, bytes]] = field(default_factory=list)

    def start(self) -> None:
        trial = next(c for c in self.manifest["spec"]["containers"] if c["name"] == "trial")
        mount = next(m for m in trial["volumeMounts"] if m["name"] == "data")
        (self.root / "out").mkdir()
        (self.root / "tmp").mkdir()
        places = {
            "/ab/out": self.root / "out",
            "/ab/data": self.data_root / mount["subPath"],
            "/tmp": self.root / "tmp",
        }
        code = next((m for m in trial["volumeMounts"] if m["mountPath"] == trial.get("workingDir")), None)
        where = self.root if code is None else self.data_root / code["subPath"]
        environment = {e["name"]: str(places.get(e["value"], e["value"])) for e in trial["env"]}
        arguments = [sys.executable if a == "python" else a for a in trial["args"]]
        self.started_at = stamp()
        self.process = subprocess.Popen(
            [sys.executable, "-I", "-S", entrypoint.__file__, *arguments],
            env=environment, cwd=where, stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT, start_new_session=True,
        )  # fmt: skip
        limit = int(trial["resources"]["limits"]["memory"].removesuffix("Mi"))
        threading.Thread(target=self._read, daemon=True).start()
        threading.Thread(target=self._watch, args=(limit,), daemon=True).start()

    def _read(self) -> None:
        for line in self.process.stdout:
            self.lines.append((stamp(), line))

    def _watch(self, limit_mb: int) -> None:
        started = time.monotonic()
        while self.process.poll() is None:
            with contextlib.suppress(psutil.Error):
                root = psutil.Process(self.process.pid)
                used = sum(p.memory_info().rss for p in [root, *root.children(recursive=True)])
                self.oom = self.oom or used > limit_mb * 2**20
            if self.oom or (self.fault == "evicted" and time.monotonic() - started > 1):
                self.kill()
            time.sleep(0.05)
        self.finished_at = stamp()

    def kill(self) -> None:
        if self.process:
            with contextlib.suppress(psutil.Error):
                for child in psutil.Process(self.process.pid).children(recursive=True):
                    child.kill()
            self.process.kill()
            self.process.wait()

    def rendered(self) -> dict[str, Any]:
        """The pod as the API shows it."""
        phase, state, reason = "Running", {"running": {"startedAt": self.started_at}}, None
        conditions = []
        if self.process is None:
            reason_shown, message = self.pulls[0] if self.pulls else ("ContainerCreating", "")
            phase, state = "Pending", {"waiting": {"reason": reason_shown, "message": message}}
        elif self.process.poll() is not None:
            code = 137 if self.oom else self.process.returncode % 256
            why = "OOMKilled" if self.oom else "Completed" if code == 0 else "Error"
            if self.fault == "oom_exit_0":
                code, why = 0, "OOMKilled"
            ended = {"exitCode": code, "reason": why, "startedAt": self.started_at}
            state = {"terminated": {**ended, "finishedAt": self.finished_at or stamp()}}
        if self.fault == "image_pull":
            phase, state = "Pending", {"waiting": {"reason": "ImagePullBackOff", "message": "no such image"}}
        if self.fault == "unschedulable":
            phase, state = "Pending", None
            conditions = [{"type": "PodScheduled", "status": "False", "reason": "Unschedulable",
                           "message": "0/3 nodes are available: insufficient nvidia.com/gpu"}]  # fmt: skip
        if self.fault == "evicted" and self.process and self.process.poll() is not None:
            phase, state, reason = "Failed", None, "Evicted"
        if self.fault == "node_silent" and self.lines:
            phase, reason = "Unknown", "NodeLost"
        status: dict[str, Any] = {"phase": phase, "conditions": conditions}
        if state:
            blank = {"name": "trial", "image": "i", "imageID": "", "ready": False, "restartCount": 0, "lastState": {}}
            status["containerStatuses"] = [{**blank, "state": state}]
        if reason:
            told = {"Evicted": "the node was low on resource: memory", "NodeLost": "node n1 is unresponsive"}
            status |= {"reason": reason, "message": told[reason]}
        shown = {**self.manifest, "status": status}
        if self.fault == "terminating" and self.lines:
            shown["metadata"] = {**self.manifest["metadata"], "deletionTimestamp": stamp()}
        return shown


def _permission(method: str, path: str) -> tuple[str, str]:
    """Resource and verb of a request, as RBAC names them."""
    _, _, rest = path.partition("/pods")
    parts = [part for part in rest.split("/") if part]
    if not parts:
        return "pods", {"GET": "list", "POST": "create"}.get(method, method)
    return "/".join(["pods", *parts[1:]]), {"GET": "get", "DELETE": "delete"}.get(method, method)


class KubernetesApi:
    """The server; ``asked`` is what a Role has to allow; ``with`` runs it on a free port."""

    def __init__(self, data_root: Path) -> None:
        self.data_root = data_root
        self.pods: dict[str, FakePod] = {}
        self.created: list[dict[str, Any]] = []
        self.deleted: list[str] = []
        self.asked: set[tuple[str, str]] = set()
        self.faults: dict[str, str] = {}
        self.pulls: dict[str, list[tuple[str, str]]] = {}
        """Pod's name -> reason and message of each state before its start."""
        self.away_until = 0.0
        self.url = ""

    @contextlib.contextmanager
    def running(self) -> Iterator[KubernetesApi]:
        with socket.create_server(("127.0.0.1", 0)) as listener:
            self.url = "http://{}:{}".format(*listener.getsockname())
            server = uvicorn.Server(uvicorn.Config(self._app(), log_level="error", lifespan="off", ws="websockets"))
            thread = threading.Thread(target=server.run, args=([listener],), daemon=True)
            thread.start()
            while not server.started:
                time.sleep(0.01)
            try:
                yield self
            finally:
                for name in list(self.pods):
                    self._remove(name)
                server.force_exit = server.should_exit = True
                thread.join(10)

    def core_v1(self) -> Any:
        """A client of this server."""
        from kubernetes import client

        return client.CoreV1Api(client.ApiClient(client.Configuration(host=self.url)))

    def _remove(self, name: str) -> None:
        pod = self.pods.pop(name)
        pod.kill()
        shutil.rmtree(pod.root, ignore_errors=True)
        self.deleted.append(name)

    def _app(self) -> FastAPI:
        app = FastAPI()
        path = "/api/v1/namespaces/{namespace}/pods"

        def failure(code: int, reason: str) -> JSONResponse:
            return JSONResponse({"kind": "Status", "status": "Failure", "reason": reason, "code": code}, code)

        @app.middleware("http")
        async def away(request: Request, call_next: Any) -> Any:
            self.asked.add(_permission(request.method, request.url.path))
            if time.monotonic() < self.away_until:
                return failure(503, "ServiceUnavailable")
            return await call_next(request)

        @app.post(path)
        async def create(namespace: str, request: Request) -> Any:
            manifest = await request.json()
            name = manifest["metadata"]["name"]
            fault = self.faults.get(name)
            if fault == "forbidden":
                return failure(403, "Forbidden")
            if name in self.pods:
                return failure(409, "AlreadyExists")
            pod = self.pods[name] = FakePod(manifest, self.data_root, fault, list(self.pulls.get(name, ())))
            self.created.append(manifest)
            if fault not in {"image_pull", "unschedulable"} and not pod.pulls:
                pod.start()
            return JSONResponse(pod.rendered(), 201)

        @app.get(path)
        async def listed(namespace: str, labelSelector: str = "") -> Any:  # noqa: N803 - the API's own name
            labelled = [p for p in self.pods.values() if labelSelector in p.manifest["metadata"].get("labels", {})]
            items = [pod.rendered() for pod in labelled]
            return {"kind": "PodList", "apiVersion": "v1", "metadata": {}, "items": items}

        @app.get(path + "/{name}")
        async def read(namespace: str, name: str) -> Any:
            pod = self.pods.get(name)
            if pod and pod.process and pod.fault in {"node_lost", "away", "deleted"}:
                if pod.lines and pod.fault == "away":
                    pod.fault = None
                    self.away_until = time.monotonic() + AWAY_SECONDS
                elif pod.lines:
                    self._remove(name)
            if name not in self.pods:
                return failure(404, "NotFound")
            shown = self.pods[name].rendered()
            if pod.pulls:
                pod.pulls.pop(0)
                if not pod.pulls:
                    pod.start()
            return shown

        @app.delete(path + "/{name}")
        async def delete(namespace: str, name: str) -> Any:
            if name not in self.pods:
                return failure(404, "NotFound")
            rendered = self.pods[name].rendered()
            self._remove(name)
            return rendered

        @app.get(path + "/{name}/log")
        async def log(namespace: str, name: str) -> Any:
            if self.faults.get(name) == "hanging_log":
                await asyncio.sleep(600)  # longer than a test may last
            lines = self.pods[name].lines if name in self.pods else []
            return PlainTextResponse(b"".join(at.encode() + b" " + line for at, line in lines))

        @app.websocket(path + "/{name}/exec")
        async def execute(websocket: WebSocket, namespace: str, name: str) -> None:
            self.asked.add(("pods/exec", "get"))
            await websocket.accept(subprotocol="v4.channel.k8s.io")
            pod = self.pods[name]
            if pod.fault == "hanging_exec":
                await asyncio.sleep(600)
                return
            if pod.fault in {"broken_exec", "exec_broken_once"}:
                pod.fault = pod.fault if pod.fault == "broken_exec" else None
                await websocket.send_bytes(b"\x01half of an archive")
                await websocket.close()
                return
            assert websocket.query_params["container"] == "collector"
            command = websocket.query_params.getlist("command")
            code = command[-1].replace("/ab/out", str(pod.root / "out"))
            done = await asyncio.to_thread(subprocess.run, [sys.executable, "-c", code], stdout=subprocess.PIPE)
            for start in range(0, len(done.stdout), 60_000):
                await websocket.send_bytes(b"\x01" + done.stdout[start : start + 60_000])
            await websocket.send_bytes(b"\x03" + json.dumps({"status": "Success"}).encode())
            await websocket.close()

        return app
