"""What stopped a new user with an own project, tried again: the toy project, and the command line in this process."""

from __future__ import annotations

import pytest
from tests.command_line import Run, runner
from tests.hazards.conftest import diff  # noqa: F401 - a fixture
from tests.integration.loop.conftest import command, toy  # noqa: F401 - fixtures


@pytest.fixture
def cli(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Run:
    """Runs a command in this process."""
    return runner(monkeypatch, capsys)


@pytest.fixture
def on_toy(cli: Run, toy, monkeypatch: pytest.MonkeyPatch) -> Run:  # type: ignore[no-untyped-def]  # noqa: F811
    """Runs a command on the toy project."""
    settings = toy.ctx.settings
    url = toy.ctx.sessions.kw["bind"].url.render_as_string(hide_password=False)
    places = {"HOME": settings.home, "CONFIG": settings.config, "BENCHMARKS": settings.benchmarks}
    for name, value in {**places, "SOLUTIONS": settings.solutions, "DB_URL": url}.items():
        monkeypatch.setenv(f"AUTO_BENCHMARK_{name}", str(value))
    return cli
