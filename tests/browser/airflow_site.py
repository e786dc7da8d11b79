"""Airflow's real API server with our plugin, over SQLite: enough for the page, light enough for every run.

Scheduler, triggerer and DAG processor are absent: the page needs none of them. The DAGs are serialised once.
"""

from __future__ import annotations

import contextlib
import json
import os
import socket
import subprocess
import sys
import time
import urllib.error
import urllib.request
from collections.abc import Iterator
from pathlib import Path

REPOSITORY = Path(__file__).resolve().parents[2]
PASSWORDS = {"admin": "a-password-of-tests", "viewer": "another-password"}
PREPARE = """
from airflow.utils.db import initdb
initdb()
from airflow.cli.commands.dag_command import dag_reserialize
from airflow.cli.cli_parser import get_parser
dag_reserialize(get_parser().parse_args(["dags", "reserialize"]))
"""


def free_port() -> int:
    """A port that nobody listens on now."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


def environment(home: Path, port: int, more: dict[str, str]) -> dict[str, str]:
    """Of the server and of what prepares it."""
    url = f"http://127.0.0.1:{port}"
    passwords = home / "passwords.json"
    passwords.write_text(json.dumps(PASSWORDS))
    inherited = {name: value for name, value in os.environ.items() if not name.startswith(("AIRFLOW", "AUTO_BENCH"))}
    return {
        **inherited,
        "PYTHONPATH": f"{REPOSITORY / 'include'}:{REPOSITORY / 'plugins'}",
        "AIRFLOW_HOME": str(home),
        "AIRFLOW__CORE__LOAD_EXAMPLES": "False",
        "AIRFLOW__CORE__DAGS_FOLDER": str(REPOSITORY / "dags"),
        "AIRFLOW__CORE__PLUGINS_FOLDER": str(REPOSITORY / "plugins"),
        "AIRFLOW__CORE__SIMPLE_AUTH_MANAGER_USERS": "admin:admin,viewer:viewer",
        "AIRFLOW__CORE__SIMPLE_AUTH_MANAGER_PASSWORDS_FILE": str(passwords),
        "AIRFLOW__DATABASE__SQL_ALCHEMY_CONN": f"sqlite:///{home}/airflow.db",
        "AIRFLOW__API__HOST": "127.0.0.1",
        "AIRFLOW__API__PORT": str(port),
        "AIRFLOW__API__BASE_URL": url,
        "AIRFLOW__API__WORKERS": "1",
        "AIRFLOW__API__SECRET_KEY": "s" * 64,
        "AIRFLOW__API_AUTH__JWT_SECRET": "j" * 64,
        "AIRFLOW__CORE__FERNET_KEY": "",
        "NO_PROXY": "127.0.0.1,localhost",
        **more,
    }


@contextlib.contextmanager
def airflow_site(home: Path, more: dict[str, str]) -> Iterator[str]:
    """The address of a server that answers; it is stopped afterwards."""
    log = (home / "server.log").open("w")
    run = {"cwd": home, "stdout": log, "stderr": subprocess.STDOUT}
    subprocess.run([sys.executable, "-c", PREPARE], env=environment(home, 0, more), check=True, timeout=240, **run)
    port = free_port()  # only now: preparing takes long enough for another process to take it
    server = subprocess.Popen(
        [sys.executable, "-m", "airflow", "api-server"], env=environment(home, port, more), start_new_session=True,
        **run,
    )  # fmt: skip
    url = f"http://127.0.0.1:{port}"
    try:
        _wait(url, server, home / "server.log")
        yield url
    finally:
        with contextlib.suppress(ProcessLookupError):
            os.killpg(server.pid, 15)
        try:
            server.wait(20)
        except subprocess.TimeoutExpired:
            os.killpg(server.pid, 9)
            server.wait(10)
        log.close()


def _wait(url: str, server: subprocess.Popen[bytes], log: Path) -> None:
    until = time.monotonic() + 240
    while time.monotonic() < until and server.poll() is None:
        with (
            contextlib.suppress(urllib.error.URLError, OSError),
            urllib.request.urlopen(f"{url}/api/v2/version", timeout=5) as answer,
        ):
            if answer.status == 200:
                return
        time.sleep(0.5)
    raise RuntimeError(f"the API server does not answer:\n{log.read_text()[-3000:]}")
