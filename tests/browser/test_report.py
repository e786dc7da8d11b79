"""The reports as one HTML file: opened from disk without a network, hostile names are text, links lead somewhere."""

import pytest
from tests import web_world
from tests.browser.pages import shot

from auto_benchmark.db.engine import engine, session_factory
from auto_benchmark.flows import inline
from auto_benchmark.project.context import make_context
from auto_benchmark.sources.connection import NamedConnections

pytestmark = pytest.mark.browser


@pytest.fixture(scope="module")
def reports(tmp_path_factory, postgres, template_database):
    """Folder of a project's reports."""
    settings = web_world.settings_of(tmp_path_factory.mktemp("reports"))
    bind = engine(postgres.create_database("browser_reports", template=template_database))
    sessions = session_factory(bind)
    web_world.declare(sessions, settings)
    web_world.fill(sessions)
    ctx = make_context(settings, sessions, NamedConnections({}))
    inline.report(ctx)
    yield ctx.home / "reports"
    bind.dispose()


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("pattern", ["technical_log.html", "digest-*.html"])
def test_a_report_needs_nothing_else_and_runs_nothing(browser, reports, pattern, scheme):
    from axe_playwright_python.sync_playwright import Axe

    context = browser.new_context(offline=True, color_scheme=scheme, bypass_csp=False)
    page = context.new_page()
    asked, said = [], []
    page.on("request", lambda request: asked.append(request.url))
    page.on("console", lambda message: said.append(message.text))
    (file,) = reports.glob(pattern)
    page.goto(file.as_uri())
    assert [url for url in asked if not url.startswith("data:")] == [file.as_uri()]
    assert said == []
    assert page.title() != "owned"
    assert page.locator("img").evaluate_all("all => all.filter((e) => !e.src.startsWith('data:')).length") == 0
    broken = "all => all.filter((e) => !document.getElementById(e.getAttribute('href').slice(1))).length"
    assert page.locator("a[href^='#']").evaluate_all(broken) == 0, "links inside of the file lead somewhere"
    page.evaluate("document.querySelectorAll('details').forEach((e) => { e.open = true; })")
    shot(page, f"report-{file.stem.partition('-')[0]}-{scheme}")
    context.close()
    open_context = browser.new_context(color_scheme=scheme, bypass_csp=True)
    page = open_context.new_page()
    page.goto(file.as_uri())
    page.evaluate("document.querySelectorAll('details').forEach((e) => { e.open = true; })")
    found = Axe().run(page).response["violations"]
    assert [(v["id"], v["nodes"][0]["html"][:100]) for v in found if v["impact"] in {"serious", "critical"}] == []
    open_context.close()


def test_pictures_are_seen_offline(browser, reports):
    context = browser.new_context(offline=True)
    page = context.new_page()
    page.goto((reports / "technical_log.html").as_uri())
    page.evaluate("document.querySelectorAll('details').forEach((e) => { e.open = true; })")
    widths = page.locator("img").evaluate_all("all => all.map((e) => e.naturalWidth)")
    assert len(widths) == 4
    assert min(widths) > 100
    context.close()
