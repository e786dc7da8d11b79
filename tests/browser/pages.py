"""A real browser, and pages of users who are signed in, on any Airflow that serves the plugin."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

CHROMIUM = Path("/usr/bin/chromium")
SHOTS = Path(os.environ.get("AUTO_BENCHMARK_SCREENSHOTS", "var/screenshots"))
VIEWS = {
    "position": "Position", "matrix": "Gap matrix", "work": "Queue", "decisions": "Decisions", "papers": "Papers",
    "digests": "Weekly digests", "lab": "Laboratory", "constructions": "Constructions", "log": "Decision log",
}  # fmt: skip


@contextmanager
def chromium() -> Iterator[object]:
    """Debian's chromium; the test is skipped where it is not installed."""
    if not CHROMIUM.exists():
        pytest.skip(f"{CHROMIUM} is not installed (apt-get install chromium)")
    from playwright.sync_api import sync_playwright

    with sync_playwright() as playwright:
        started = playwright.chromium.launch(
            executable_path=str(CHROMIUM), args=["--no-sandbox", "--disable-dev-shm-usage"]
        )
        yield started
        started.close()


class Pages:
    """The site's address, what is in its database, and pages of users who are signed in."""

    def __init__(self, browser, url, sessions, passwords, ids=None):
        self.browser, self.url, self.sessions, self.passwords, self.ids = browser, url, sessions, passwords, ids
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
        """Through Airflow's own form, which the page leads to."""
        context = self.browser.new_context()
        page = context.new_page()
        page.set_default_timeout(60_000)
        page.goto(self.url + "/plugin/benchmark")
        page.fill("input[name=username]", user)
        page.fill("input[name=password]", self.passwords[user])
        page.keyboard.press("Enter")
        page.get_by_role("heading", name="Benchmark", exact=True).wait_for()
        state = context.storage_state()
        context.close()
        return state


def view(name, **query):
    """A link to a view."""
    more = "".join(f"&{key}={value}" for key, value in query.items())
    return f"/plugin/benchmark?view={name}{more}"


def shot(page, name):
    """Keep a picture of the page."""
    SHOTS.mkdir(parents=True, exist_ok=True)
    page.screenshot(path=SHOTS / f"{name}.png", full_page=True)


def answer(page, label, reason="it is right"):
    """Press a button of ours, give a reason where one is asked for, and confirm."""
    page.get_by_role("button", name=label, exact=True).click()
    form = page.get_by_role("form", name=label, exact=True)
    form.wait_for()
    if form.get_by_role("textbox").count():
        form.get_by_role("textbox").fill(reason)
    form.get_by_role("button", name=label, exact=True).click()


def serious_faults(page):
    """What axe finds in our parts of the page."""
    from axe_playwright_python.sync_playwright import Axe

    page.evaluate("document.querySelectorAll('section details').forEach((e) => { e.open = true; })")
    main = "section[aria-label], nav[aria-label='Benchmark views']"
    found = Axe().run(page, context={"include": [[main]]})
    serious = [v for v in found.response["violations"] if v["impact"] in {"serious", "critical"}]
    return [(v["id"], [n["html"][:120] for n in v["nodes"]][:3]) for v in serious]
