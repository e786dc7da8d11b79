"""The arena as people start it: killed at any time, it comes back with the same world and the same board."""

from __future__ import annotations

import contextlib
import os
import shutil
import signal
import socket
import sqlite3
import subprocess
import sys
from pathlib import Path

import httpx
from tests.waiting import eventually

ROOT = Path(__file__).resolve().parents[2]


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


def start(home: Path, include: Path, port: int) -> subprocess.Popen[bytes]:
    command = [sys.executable, str(ROOT / "include" / "arena"), "--home", str(home), "--port", str(port)]
    environment = {k: v for k, v in os.environ.items() if k != "PYTHONPATH"}
    return subprocess.Popen(
        [*command, "--include", str(include)], env=environment, stdout=subprocess.PIPE, stderr=subprocess.STDOUT
    )


def wait_until_ready(process: subprocess.Popen[bytes], url: str) -> None:
    def is_ready() -> bool:
        assert process.poll() is None, process.stdout.read().decode() if process.stdout else ""
        with contextlib.suppress(httpx.HTTPError):
            return httpx.get(f"{url}/healthz", trust_env=False).status_code == 200
        return False

    eventually(is_ready, "the arena's answer", every_s=0.05)


def kill(process: subprocess.Popen[bytes]) -> None:
    process.send_signal(signal.SIGKILL)
    process.wait()
    if process.stdout:
        process.stdout.close()


def runs(home: Path) -> int:
    if not (home / "arena.sqlite").exists():
        return 0
    with sqlite3.connect(home / "arena.sqlite") as connection:
        try:
            return int(connection.execute("SELECT COUNT(*) FROM runs").fetchone()[0])
        except sqlite3.OperationalError:
            return 0


def test_killed_during_creation_and_after_a_submission(small_include: Path, tmp_path: Path) -> None:
    port = free_port()
    url = f"http://127.0.0.1:{port}"
    process = start(tmp_path, small_include, port)
    eventually(lambda: runs(tmp_path), "the first run")
    kill(process)
    with sqlite3.connect(tmp_path / "arena.sqlite") as connection:
        seed = connection.execute("SELECT seed FROM worlds").fetchall()
        early = set(connection.execute("SELECT key, scores, finished_at FROM runs").fetchall())
    token = (tmp_path / "token").read_text(encoding="ascii")

    process = start(tmp_path, small_include, port)
    try:
        wait_until_ready(process, url)
        with httpx.Client(base_url=url, headers={"Authorization": f"Bearer {token}"}, trust_env=False) as client:
            body = {"system": "OurSystem", "predictions": [{"id": "q00000", "answer": "x"}]}
            sent = client.post("/api/boards/MemoryBench/submissions", json=body, headers={"Idempotency-Key": "k"})
            assert sent.status_code == 201
            before = client.get("/api/boards/MemoryBench").json()
    finally:
        kill(process)

    process = start(tmp_path, small_include, port)
    try:
        wait_until_ready(process, url)
        with httpx.Client(base_url=url, headers={"Authorization": f"Bearer {token}"}, trust_env=False) as client:
            assert client.get("/api/boards/MemoryBench").json() == before
            again = client.post("/api/boards/MemoryBench/submissions", json=body, headers={"Idempotency-Key": "k"})
            assert (again.status_code, again.json()) == (200, sent.json())
    finally:
        kill(process)
    with sqlite3.connect(tmp_path / "arena.sqlite") as connection:
        assert connection.execute("SELECT seed FROM worlds").fetchall() == seed
        assert early <= set(connection.execute("SELECT key, scores, finished_at FROM runs").fetchall())
        assert connection.execute("SELECT COUNT(*) FROM runs").fetchone()[0] == 4


def test_a_faulty_declaration_is_named_and_ends_it(small_include: Path, tmp_path: Path) -> None:
    config = tmp_path / "config"
    (config / "boards").mkdir(parents=True)
    (config / "boards" / "x.yaml").write_text("board: MemoryBench\nbenchmark: memory\nquota: 3\n", encoding="utf-8")
    (config / "competitors.yaml").write_text("competitors: []\n", encoding="utf-8")
    command = [sys.executable, str(ROOT / "include" / "arena"), "--home", str(tmp_path / "home"), "--port", "1"]
    done = subprocess.run(
        [*command, "--config", str(config), "--include", str(small_include)],
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 2
    assert "x.yaml:3: quota: unknown key" in done.stderr
    assert "Traceback" not in done.stderr


def test_a_competitor_that_cannot_run_ends_it_with_the_reason(small_include: Path, tmp_path: Path) -> None:
    include = shutil.copytree(small_include, tmp_path / "include")
    program = include / "solutions" / "memory_retrieval" / "train.py"
    program.write_text("raise SystemExit('no luck')\n", encoding="utf-8")
    process = start(tmp_path / "home", include, free_port())
    output, _ = process.communicate(timeout=60)
    assert process.returncode == 1
    assert b"could not be created: Competitor" in output
    assert b"no luck" in output
