"""The page as people use it: in Airflow, in a real browser."""

import re

import pytest
from tests.browser.conftest import SHOTS
from tests.web_world import EVIL

from auto_benchmark.db.repositories import hypotheses, production, trials

pytestmark = [pytest.mark.browser, pytest.mark.airflow]
VIEWS = {
    "position": "Position", "matrix": "Gap matrix", "work": "Queue", "decisions": "Decisions", "papers": "Papers",
    "log": "Decision log",
}  # fmt: skip


def view(name, **query):
    more = "".join(f"&{key}={value}" for key, value in query.items())
    return f"/plugin/benchmark?view={name}{more}"


def shot(page, name):
    SHOTS.mkdir(parents=True, exist_ok=True)
    page.screenshot(path=SHOTS / f"{name}.png", full_page=True)


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("name", list(VIEWS))
def test_every_view_shows_its_part_in_both_themes(site, name, scheme):
    page = site.open(view(name), scheme=scheme)
    part = page.get_by_role("region", name=VIEWS[name], exact=True)
    part.wait_for()
    part.locator("table, details").first.wait_for()
    assert page.locator("html").evaluate("e => e.classList.contains('dark')") == (scheme == "dark")
    assert page.get_by_role("alert").count() == 0
    assert page.title() != "owned"
    shot(page, f"{name}-{scheme}")
    page.context.close()


def test_position_is_told_in_words(site):
    page = site.open()
    row = page.get_by_role("row", name=re.compile("MemoryBench"))
    row.wait_for()
    for text in ("#1", "+0.010", "defense"):
        assert text in row.inner_text()
    assert row.get_by_label("1 ranks up").count() == 1
    assert "stale" in page.get_by_role("row", name=re.compile("LongContextEval")).inner_text()
    page.context.close()


def test_a_link_to_a_hypothesis_can_be_shared(site):
    page = site.open(view("hypothesis", id=site.ids["hypothesis"]))
    page.get_by_role("heading", name=f"Hypothesis {site.ids['hypothesis']}").wait_for()
    page.get_by_role("img", name=re.compile("Improvement by look")).wait_for()
    assert page.get_by_role("table", name=f"Trials of {site.ids['hypothesis']}").locator("tbody tr").count() == 6
    assert EVIL in page.locator("body").inner_text(), "a hostile title is text"
    assert page.title() != "owned"
    shot(page, "hypothesis")
    page.context.close()


def test_a_board_has_its_history_and_the_way_back(site):
    page = site.open()
    page.get_by_role("link", name="MemoryBench").click()
    page.get_by_role("img", name=re.compile("Our rank: from #2 to #1, 3 readings, 1 promotions")).wait_for()
    assert "view=board" in page.url
    shot(page, "board")
    page.go_back()
    page.get_by_role("region", name="Position", exact=True).wait_for()
    page.context.close()


def test_tables_sort_and_say_so(site):
    page = site.open()
    head = page.get_by_role("columnheader", name=re.compile("^Gap"))
    head.get_by_role("button").click()
    table = page.get_by_role("table", name="Our position on each board")
    table.locator("tbody tr").first.filter(has_text="LongContextEval").wait_for()
    assert head.get_attribute("aria-sort") == "ascending"
    assert "sort=gap" in page.url
    page.context.close()


def test_the_page_works_without_a_mouse(site):
    page = site.open(view("decisions"))
    summary = page.locator("details summary").first
    summary.wait_for()
    summary.focus()
    page.keyboard.press("Enter")
    page.get_by_role("table", name=re.compile("Criteria of decision")).first.wait_for()
    page.get_by_role("navigation", name="Benchmark views").get_by_role("link", name="Papers").focus()
    page.keyboard.press("Enter")
    page.get_by_role("region", name="Papers", exact=True).wait_for()
    page.context.close()


def test_hostile_addresses_of_papers_are_no_links(site):
    page = site.open(view("papers"))
    page.get_by_role("table", name="Papers by priority").wait_for()
    links = page.get_by_role("table", name="Papers by priority").get_by_role("link")
    assert [link.get_attribute("href") for link in links.all()] == ["https://example.org/1"]
    page.context.close()


def test_a_phone_shows_it_without_scrolling_sideways(site):
    page = site.open(size=(390, 844))
    page.get_by_role("region", name="Position", exact=True).locator("table").wait_for()
    part = page.get_by_role("region", name="Position", exact=True)
    assert part.evaluate("e => e.scrollWidth <= e.clientWidth + 1"), "tables scroll by themselves"
    shot(page, "phone")
    page.context.close()


def test_an_empty_project_says_what_will_fill_it(site):
    page = site.open(view("position", project="empty"))
    page.get_by_text("Nothing waits for a person.").wait_for()
    shot(page, "empty")
    page.get_by_label("Project").select_option("default")
    page.get_by_role("link", name="MemoryBench").wait_for()
    page.context.close()


def test_a_failing_api_is_told_and_recovers_by_itself(site):
    failing = {"now": True}

    def fail(route):
        if failing["now"]:
            route.fulfill(status=503, json={"detail": "the project database cannot be read"})
        else:
            route.continue_()

    page = site.open(before=lambda page: page.route("**/default/boards*", fail))
    page.get_by_text("the project database cannot be read (503)").wait_for()
    shot(page, "error")
    failing["now"] = False
    page.get_by_role("link", name="MemoryBench").wait_for()
    assert page.get_by_role("alert").count() == 0
    page.context.close()


def test_a_viewer_is_offered_nothing_that_is_refused(site):
    page = site.open(view("work"), user="viewer")
    page.get_by_role("table", name="Queue, best first").wait_for()
    assert page.get_by_role("button", name=re.compile("Pause|Urgent|Scrape")).count() == 0
    page.context.close()


def answer(page, label, reason="it is right"):
    page.get_by_role("button", name=label, exact=True).click()
    form = page.get_by_role("form", name=label, exact=True)
    if form.get_by_role("textbox").count():
        form.get_by_role("textbox").fill(reason)
    form.get_by_role("button", name=label, exact=True).click()


def test_a_hypothesis_is_paused_and_resumed_and_the_page_follows(site):
    queued = site.ids["queued"]
    page = site.open(view("work"))
    answer(page, f"Pause {queued}")
    page.get_by_role("button", name=f"Resume {queued}").wait_for()
    with site.sessions() as session:
        found = hypotheses.get(session=session, project="default", hypothesis_id=queued)
    assert (found.status, found.reason) == ("paused", "paused by admin: it is right")
    answer(page, f"Resume {queued}")
    page.get_by_role("button", name=f"Pause {queued}").wait_for()
    page.context.close()


def test_a_trial_is_invalidated(site):
    page = site.open(view("hypothesis", id=site.ids["hypothesis"]))
    answer(page, f"Invalidate {site.ids['trial']}")
    page.get_by_text("invalidated by admin: it is right").wait_for()
    with site.sessions() as session:
        assert trials.get(session=session, trial_id=site.ids["trial"]).state == "cancelled"
    page.context.close()


def test_a_promotion_is_approved(site):
    page = site.open()
    page.get_by_text(f"{site.ids['waiting']} waits for approval").click()
    answer(page, "Approve the promotion")
    page.get_by_text("Nothing waits for a person.").wait_for()
    with site.sessions() as session:
        assert production.current(session=session, project="default").candidate.params == {"colour": "green"}
    page.context.close()


@pytest.mark.parametrize(("where", "label", "dag"), [
    ("position", "Scrape now", "leaderboard_scrape"), ("work", "Urgent sweep", "experiment_sweep_urgent"),
])  # fmt: skip
def test_a_dag_is_started_with_the_users_own_rights(site, where, label, dag):
    page = site.open(view(where))
    with page.expect_response(re.compile(f"/api/v2/dags/{dag}/dagRuns")) as started:
        answer(page, label)
    assert started.value.status == 200, started.value.text()
    page.get_by_text("Done").wait_for()
    page.context.close()


def test_home_shows_our_rank_and_a_sweep_has_its_tab(site):
    page = site.open("/")
    page.get_by_role("table", name="Our rank on each board").wait_for()
    shot(page, "home")
    page.goto(site.url + "/dags/experiment_sweep/plugin/benchmark-sweep")
    for part in ("Running trials", "Queue", "Decisions"):
        page.get_by_role("region", name=part, exact=True).wait_for()
    page.locator("details", has_text="decision 1").first.wait_for()
    shot(page, "sweep-tab")
    page.context.close()


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("name", [*VIEWS, "board", "hypothesis"])
def test_axe_finds_nothing_serious(site, name, scheme):
    from axe_playwright_python.sync_playwright import Axe

    page = site.open(view(name, board="MemoryBench", id=site.ids["hypothesis"]), scheme=scheme)
    page.locator("section table:visible, section details").first.wait_for()
    main = "section[aria-label], nav[aria-label='Benchmark views']"
    found = Axe().run(page, context={"include": [[main]]})
    serious = [v for v in found.response["violations"] if v["impact"] in {"serious", "critical"}]
    assert [(v["id"], [n["html"][:120] for n in v["nodes"]][:3]) for v in serious] == []
    page.context.close()
