"""A secret in an address or a setting stays where it was written down."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
import yaml
from sqlalchemy import text
from tests.fakes.wire import at_once, served

from auto_benchmark.project.context import make_context
from auto_benchmark.sources.connection import NamedConnections

pytestmark = pytest.mark.timeout(60)
REPOSITORY = Path(__file__).resolve().parents[2]
PASSWORD, API_KEY = "hunter2hunter2", "k3yk3yk3y"
GONE = b"HTTP/1.1 404 Not Found\r\nContent-Length: 0\r\n\r\n"


@pytest.fixture
def scraped(toy):
    """A project one of whose boards has secrets in its address and cannot be read."""
    from auto_benchmark.flows import inline

    with served(at_once(GONE)) as server:
        file = toy.ctx.settings.config / "competitive_registry.yaml"
        declared = yaml.safe_load(file.read_text())
        address = f"{server.url.replace('//', f'//reader:{PASSWORD}@')}/board.json?api_key={API_KEY}"
        declared["target_leaderboards"].append(
            {"name": "Paid", "url": address, "scrape_method": "api", "primary_metric": "accuracy",
             "higher_is_better": True}
        )  # fmt: skip
        file.write_text(yaml.safe_dump(declared))
        settings = toy.ctx.settings.model_copy(update={"allow_private_addresses": True})
        ctx = make_context(settings, toy.ctx.sessions, NamedConnections({}), say=toy.said.append)
        inline.scrape(ctx)
    return ctx


def holds_secret(found: str) -> bool:
    return PASSWORD in found or API_KEY in found


def test_no_alert_repeats_a_secret_of_an_address(toy, scraped):
    assert any("Paid" in line for line in toy.said)
    assert [line for line in toy.said if holds_secret(line)] == []


def test_no_row_holds_a_secret_of_an_address(scraped):
    columns = "select table_name, column_name from information_schema.columns where table_schema = 'auto_benchmark'"
    found = []
    with scraped.sessions() as session:
        for table, column in session.execute(text(columns)).all():
            rows = session.execute(text(f'select "{column}"::text from auto_benchmark."{table}"')).scalars()
            found += [f"{table}.{column}" for row in rows if row and holds_secret(row)]
    assert sorted(set(found)) == []


def test_no_report_holds_a_secret_of_an_address(scraped):
    files = [file for file in scraped.home.rglob("*") if file.is_file()]
    assert [file.name for file in files if holds_secret(file.read_bytes().decode(errors="replace"))] == []


@pytest.mark.skipif(shutil.which("git") is None, reason="needs git")
def test_the_file_with_the_passwords_is_ignored(tmp_path):
    subprocess.run(["git", "init", "-q", str(tmp_path)], check=True, timeout=10)
    shutil.copy(REPOSITORY / ".gitignore", tmp_path)
    asked = subprocess.run(["git", "-C", str(tmp_path), "check-ignore", "-q", ".env"], check=False, timeout=10)
    assert asked.returncode == 0


def test_a_secret_in_the_wrong_setting_is_not_repeated():
    setting = {"AUTO_BENCHMARK_RUNNER": f"postgresql://me:{PASSWORD}@db/project"}
    environment = {**os.environ, "PYTHONPATH": str(REPOSITORY / "include"), **setting}
    words = [sys.executable, "-m", "auto_benchmark", "status"]
    ended = subprocess.run(words, env=environment, capture_output=True, text=True, timeout=30, check=False)
    assert ended.returncode == 2
    assert "AUTO_BENCHMARK_RUNNER" in ended.stderr
    assert not holds_secret(ended.stdout + ended.stderr), ended.stderr
