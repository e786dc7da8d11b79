"""A browser, Airflow's API server, and a project with something on every page."""

import shutil

import pytest
from tests import web_world
from tests.browser.airflow_site import PASSWORDS, airflow_site
from tests.browser.pages import Pages, chromium, shot
from tests.toy_project import environment

from auto_benchmark.db.engine import engine, session_factory


@pytest.fixture(scope="module")
def browser():
    # not for the session: while it lives, the main thread has a running event loop, and asyncio.run refuses
    with chromium() as started:
        yield started


@pytest.fixture(scope="module")
def site(browser, tmp_path_factory, postgres, template_database):
    folder = tmp_path_factory.mktemp("browser")
    settings = web_world.settings_of(folder)
    url = postgres.create_database("browser", template=template_database)
    bind = engine(url)
    sessions = session_factory(bind)
    web_world.declare(sessions, settings)
    web_world.lab_runs(settings)
    web_world.constructions(settings)
    ids = web_world.fill(sessions)
    for name in ("empty", "second"):
        folder_of = settings.config / "projects" / name
        folder_of.mkdir(parents=True)
        for file in settings.config.glob("*.yaml"):
            shutil.copy(file, folder_of)
        web_world.declare(sessions, settings, name)
    web_world.fill(sessions, "second")
    home = folder / "airflow"
    home.mkdir()
    with airflow_site(home, environment(settings, db_url=url)) as address:
        yield Pages(browser, address, sessions, PASSWORDS, ids)
    bind.dispose()


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(item, call):
    """A picture of the page that a test failed on."""
    report = yield
    site = getattr(item, "funcargs", {}).get("site")
    if report.failed and site is not None and site.newest is not None and not site.newest.is_closed():
        shot(site.newest, f"failed-{item.name}")
    return report
