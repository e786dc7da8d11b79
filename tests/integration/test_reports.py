"""Digest and technical log of a project with something in every table: files, pictures, one page each."""

import itertools
import re
from datetime import timedelta

import pytest
from tests import web_world

from auto_benchmark.db.engine import engine, session_factory
from auto_benchmark.flows import inline
from auto_benchmark.project.context import make_context
from auto_benchmark.sources.connection import NamedConnections
from auto_benchmark.telling.digest import week_of, write_digest

_numbers = itertools.count(1)
PNG = b"\x89PNG\r\n"


@pytest.fixture
def ctx(tmp_path, postgres, template_database):
    settings = web_world.settings_of(tmp_path)
    bind = engine(postgres.create_database(f"reports_{next(_numbers)}", template=template_database))
    sessions = session_factory(bind)
    web_world.declare(sessions, settings)
    web_world.fill(sessions)
    yield make_context(settings, sessions, NamedConnections({}))
    bind.dispose()


def test_every_picture_is_there_and_inside_the_page(ctx):
    inline.report(ctx)
    text = (ctx.home / "TECHNICAL_LOG.md").read_text()
    named = re.findall(r"!\[[^\]]*\]\(([^)]+)\)", text)
    assert len(named) == 4, "two boards and two decided experiments"
    assert all((ctx.home / name).read_bytes().startswith(PNG) for name in named)
    page = (ctx.home / "reports" / "technical_log.html").read_text()
    assert page.count("data:image/png;base64,") == 4
    assert "<img src=x" not in page
    assert "http" not in page.replace("http-equiv", "")
    for wanted in ("H-001", "Reading more helps", "look 2", "waits for approval", "accuracy 0.71"):
        assert wanted in text


def test_a_second_run_draws_nothing_again(ctx):
    inline.report(ctx)
    pictures = {file: file.stat().st_mtime_ns for file in (ctx.home / "reports" / "plots").iterdir()}
    inline.report(ctx)
    assert {file: file.stat().st_mtime_ns for file in (ctx.home / "reports" / "plots").iterdir()} == pictures


def test_the_digest_is_a_page_too(ctx):
    told = write_digest(ctx, week_of(ctx.now() - timedelta(days=7)))
    page = (ctx.home / told["path"]).with_suffix(".html").read_text()
    assert "<h2>Competitive Position</h2>" in page
    assert "MemoryBench: #1 ✅" in page
