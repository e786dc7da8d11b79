"""A browser, Airflow's API server, and a project with something on every page."""

import os
from pathlib import Path

import pytest
from tests import web_world
from tests.browser.airflow_site import PASSWORDS, airflow_site

from auto_benchmark.db.engine import engine, session_factory

CHROMIUM = Path("/usr/bin/chromium")
SHOTS = Path(os.environ.get("AUTO_BENCHMARK_SCREENSHOTS", "var/screenshots"))


@pytest.fixture(scope="module")
def browser():
    if not CHROMIUM.exists():
        pytest.skip(f"{CHROMIUM} is not installed (apt-get install chromium)")
    # not for the session: while it lives, the main thread has a running event loop, and asyncio.run refuses
    from playwright.sync_api import sync_playwright

    with sync_playwright() as playwright:
        started = playwright.chromium.launch(
            executable_path=str(CHROMIUM), args=["--no-sandbox", "--disable-dev-shm-usage"]
        )
        yield started
        started.close()


class Pages:
    """The site's address, what is in its database, and pages of users who are signed in."""

    def __init__(self, browser, url, sessions, ids):
        self.browser, self.url, self.sessions, self.ids = browser, url, sessions, ids
        self._states = {}
        self.newest = None

    def open(self, path="/plugin/benchmark", *, user="admin", scheme="light", size=(1280, 900), before=None):
        if user not in self._states:
            self._states[user] = self._sign_in(user)
        context = self.browser.new_context(
            storage_state=self._states[user], color_scheme=scheme, viewport={"width": size[0], "height": size[1]}
        )
        context.add_init_script(f"localStorage.setItem('theme', '{scheme}')")
        page = context.new_page()
        page.set_default_timeout(30_000)
        if before is not None:
            before(page)
        page.goto(self.url + path)
        self.newest = page
        return page

    def _sign_in(self, user):
        context = self.browser.new_context()
        page = context.new_page()
        page.set_default_timeout(60_000)
        page.goto(self.url + "/plugin/benchmark")
        page.fill("input[name=username]", user)
        page.fill("input[name=password]", PASSWORDS[user])
        page.keyboard.press("Enter")
        page.get_by_role("heading", name="Benchmark", exact=True).wait_for()
        state = context.storage_state()
        context.close()
        return state


@pytest.fixture(scope="module")
def site(browser, tmp_path_factory, postgres, template_database):
    folder = tmp_path_factory.mktemp("browser")
    settings = web_world.settings_of(folder)
    url = postgres.create_database("browser", template=template_database)
    bind = engine(url)
    sessions = session_factory(bind)
    web_world.declare(sessions, settings)
    ids = web_world.fill(sessions)
    web_world.declare(sessions, settings, "empty")
    web_world.declare(sessions, settings, "second")
    web_world.fill(sessions, "second")
    home = folder / "airflow"
    home.mkdir()
    folders = ("config", "benchmarks", "solutions")
    more = {
        "AUTO_BENCHMARK_DB_URL": url,
        "AUTO_BENCHMARK_HOME": str(settings.home),
        **{f"AUTO_BENCHMARK_{name.upper()}": str(getattr(settings, name)) for name in folders},
    }
    with airflow_site(home, more) as address:
        yield Pages(browser, address, sessions, ids)
    bind.dispose()


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(item, call):
    """A picture of the page that a test failed on."""
    report = yield
    site = getattr(item, "funcargs", {}).get("site")
    if report.failed and site is not None and site.newest is not None and not site.newest.is_closed():
        SHOTS.mkdir(parents=True, exist_ok=True)
        site.newest.screenshot(path=SHOTS / f"failed-{item.name}.png", full_page=True)
    return report
