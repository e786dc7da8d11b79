"""The compose stack from local images: healthy, one scrape green, down, and up again with its data."""

import json
import os
import secrets
import shutil
import subprocess
import time
import urllib.request
from pathlib import Path

import pytest
from tests.browser.airflow_site import free_port
from tests.docker.compose_images import AIRFLOW_IMAGE, POSTGRES_IMAGE, build_compose_images

REPOSITORY = Path(__file__).resolve().parents[2]
COMPOSE_FILE = REPOSITORY / "docker-compose.yaml"
SECRETS = ("POSTGRES_PASSWORD", "AIRFLOW_PASSWORD", "AIRFLOW_JWT_SECRET", "AIRFLOW_SECRET_KEY")

needs_compose = pytest.mark.skipif(shutil.which("docker-compose") is None, reason="needs docker-compose 1.29")


def variables(**more: str) -> dict[str, str]:
    import base64

    return {
        **{name: secrets.token_urlsafe(24) for name in SECRETS},
        "AIRFLOW_FERNET_KEY": base64.urlsafe_b64encode(os.urandom(32)).decode(),
        "AIRFLOW_IMAGE": AIRFLOW_IMAGE, "POSTGRES_IMAGE": POSTGRES_IMAGE, "COMPOSE_PROFILES": "local-runner,arena",
        "COMPOSE_PROJECT_NAME": "abtest", **more,
    }  # fmt: skip


def compose(*words: str, environment: dict[str, str], timeout: float = 600) -> subprocess.CompletedProcess[str]:
    command = ["docker-compose", "-f", str(COMPOSE_FILE), "--project-directory", str(REPOSITORY), *words]
    whole = {**os.environ, **environment}
    return subprocess.run(command, env=whole, capture_output=True, text=True, timeout=timeout, check=False)


@needs_compose
class TestTheFile:
    def test_it_is_valid_and_has_no_default_password(self):
        assert compose("config", "-q", environment=variables()).returncode == 0
        for name in (*SECRETS, "AIRFLOW_FERNET_KEY"):
            refused = compose("config", "-q", environment=variables(**{name: ""}))
            assert refused.returncode != 0 and name in refused.stderr

    def test_only_the_docker_profile_gets_the_engines_socket(self):
        import yaml

        rendered = yaml.safe_load(compose("config", environment=variables()).stdout)
        holders = {n for n, s in rendered["services"].items() if "docker.sock" in json.dumps(s.get("volumes", []))}
        assert holders == {"scheduler-docker"}
        assert rendered["services"]["scheduler-docker"]["profiles"] == ["docker-runner"]
        ports = [p for s in rendered["services"].values() for p in s.get("ports", [])]
        assert ports and all(str(p).startswith("127.0.0.1:") or p["published"] for p in ports)


@needs_compose
@pytest.mark.docker
@pytest.mark.e2e
@pytest.mark.timeout(1500)
def test_the_stack_comes_up_scrapes_and_keeps_its_data(docker_engine, docker_client):
    if docker_engine is None:
        pytest.skip("builds large images; wants an engine of its own")
    build_compose_images(docker_client)
    environment = variables(**{f"{name}_PORT": str(free_port()) for name in ("AIRFLOW", "MLFLOW", "ARENA")})
    try:
        _up(environment)
        assert _run_dag(environment, "leaderboard_scrape") == "success"
        assert compose("down", environment=environment).returncode == 0
        _up(environment)
        runs = _call(environment, _token(environment), "GET", "/dags/leaderboard_scrape/dagRuns")
        assert [r["state"] for r in runs["dag_runs"]].count("success") >= 1
    finally:
        compose("down", "-v", "--remove-orphans", environment=environment)


def _up(environment: dict[str, str]) -> None:
    done = compose("up", "-d", environment=environment)
    assert done.returncode == 0, done.stderr[-3000:]
    deadline = time.monotonic() + 500
    while time.monotonic() < deadline:
        try:
            with urllib.request.urlopen(f"{_url(environment)}/api/v2/monitor/health", timeout=5) as answer:
                health = json.load(answer)
            wanted = ("metadatabase", "scheduler", "triggerer", "dag_processor")
            if all(health[part]["status"] == "healthy" for part in wanted):
                return
        except (OSError, ValueError, KeyError):
            pass
        time.sleep(3)
    raise AssertionError("not healthy:\n" + compose("logs", "--tail", "30", environment=environment).stdout[-6000:])


def _url(environment: dict[str, str]) -> str:
    return f"http://127.0.0.1:{environment['AIRFLOW_PORT']}"


def _token(environment: dict[str, str]) -> str:
    body = json.dumps({"username": "admin", "password": environment["AIRFLOW_PASSWORD"]}).encode()
    headers = {"Content-Type": "application/json"}
    request = urllib.request.Request(f"{_url(environment)}/auth/token", body, headers)
    with urllib.request.urlopen(request, timeout=60) as answer:
        return json.load(answer)["access_token"]


def _call(environment: dict[str, str], token: str, method: str, path: str, body: dict | None = None) -> dict:
    request = urllib.request.Request(
        f"{_url(environment)}/api/v2{path}", method=method, data=json.dumps(body).encode() if body else None,
        headers={"Content-Type": "application/json", "Authorization": f"Bearer {token}"},
    )  # fmt: skip
    with urllib.request.urlopen(request, timeout=60) as answer:
        return json.load(answer)


def _run_dag(environment: dict[str, str], dag_id: str) -> str:
    token = _token(environment)
    deadline = time.monotonic() + 400
    while time.monotonic() < deadline:
        try:
            _call(environment, token, "PATCH", f"/dags/{dag_id}", {"is_paused": False})
            break
        except OSError:  # not parsed yet
            time.sleep(3)
    run = _call(environment, token, "POST", f"/dags/{dag_id}/dagRuns", {"logical_date": None})["dag_run_id"]
    state = "queued"
    while state in {"queued", "running"} and time.monotonic() < deadline:
        time.sleep(3)
        state = _call(environment, token, "GET", f"/dags/{dag_id}/dagRuns/{run}")["state"]
    return state
