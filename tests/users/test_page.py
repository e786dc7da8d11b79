"""Findings 8 and 21: the page lists the projects that are configured, those and no others."""

from __future__ import annotations

import pytest
from tests.airflow_home import HOME, REPOSITORY

assert HOME
pytestmark = pytest.mark.airflow


@pytest.fixture
def listed(toy):
    """Names of the projects as the page lists them; ``older`` was removed, ``newer`` has just been added."""
    import shutil

    from fastapi import FastAPI
    from fastapi.testclient import TestClient

    from auto_benchmark.db.repositories import projects
    from auto_benchmark.project.reconcile import reconcile
    from auto_benchmark_airflow.web.access import Access
    from auto_benchmark_airflow.web.reads.people import add_people
    from auto_benchmark_airflow.web.world import World

    reconcile(toy.ctx)
    with toy.ctx.sessions.begin() as session:
        projects.upsert(session=session, project="an_older_one", registry=toy.ctx.config.registry)
    shutil.copytree(REPOSITORY / "tests/toy/config", toy.ctx.settings.config / "projects" / "newer")

    async def somebody():
        return "ann"

    access = Access(somebody, lambda *_: True, lambda *_: True, lambda user: user)
    world = World(toy.ctx.settings, lambda: "")
    world.__dict__["sessions"] = toy.ctx.sessions
    app = FastAPI()
    add_people(app, access, world)
    return [project["name"] for project in TestClient(app).get("/api/projects").json()]


def test_a_project_that_was_removed_is_not_listed(listed):
    assert "default" in listed and "an_older_one" not in listed


def test_a_project_that_was_just_added_is_listed(listed):
    assert "newer" in listed
