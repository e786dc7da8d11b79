"""The page as people use it: in Airflow, in a real browser."""

import re
from datetime import UTC, datetime

import pytest
from tests import web_world
from tests.browser.pages import VIEWS, answer, serious_faults, shot, view
from tests.toy_project import TOY
from tests.web_world import EVIL

from auto_benchmark.db.repositories import hypotheses, production, records, trials

pytestmark = [pytest.mark.browser, pytest.mark.airflow]


def deep(site, name):
    """A link to a view, with everything that any of them needs."""
    return view(name, board="MemoryBench", id=site.ids["hypothesis"], week="2026-02-23", folder="first/compress-1",
                construction="ended")  # fmt: skip


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
    assert serious_faults(page) == []
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


def test_each_sources_share_and_what_its_claims_were_worth_are_shown(site):
    page = site.open()
    page.get_by_text("Whose level it is").click()
    level = page.get_by_role("table", name="Level by source").get_by_role("row", name=re.compile("search"))
    assert "40.0 %" in level.inner_text()
    page.get_by_text("What claims were worth, by source").click()
    claims = page.get_by_role("table", name="Claims by source").get_by_role("row", name=re.compile("person"))
    assert "0.0120" in claims.inner_text()
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


def test_a_table_is_sorted_by_keyboard(site):
    page = site.open(view("matrix"))
    head = page.get_by_role("columnheader", name=re.compile("^System"))
    head.get_by_role("button").focus()
    for direction in ("ascending", "descending"):
        page.keyboard.press("Enter")
        page.locator(f"th[aria-sort={direction}]", has_text="System").wait_for()
        column = page.get_by_role("table", name="Every system on every board").locator("tbody tr td:nth-child(2)")
        names = column.all_inner_texts()
        assert names == sorted(names, reverse=direction == "descending")
    page.context.close()


FOCUS = """() => {
  const e = document.activeElement, s = getComputedStyle(e);
  const seen = (s.outlineStyle !== "none" && parseFloat(s.outlineWidth) > 0) || s.boxShadow !== "none";
  const ours = !!e.closest("section[aria-label], nav[aria-label='Benchmark views']");
  return { ours, seen, html: e.outerHTML.slice(0, 120) };
}"""


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_the_focus_is_seen_wherever_it_goes(site, scheme):
    page = site.open(view("work"), scheme=scheme)
    page.get_by_role("table", name="Queue, best first").wait_for()
    page.get_by_role("link", name="Position", exact=True).focus()
    visited = []
    for _ in range(16):
        page.keyboard.press("Tab")
        visited.append(page.evaluate(FOCUS))
    ours = [v for v in visited if v["ours"]]
    assert len(ours) >= 10
    assert [v["html"] for v in ours if not v["seen"]] == []
    page.context.close()


def test_what_changes_is_announced(site):
    page = site.open(view("position", project="second"))
    page.get_by_role("row", name=re.compile("MemoryBench")).filter(has_text="#1").wait_for()
    with site.sessions.begin() as session:
        web_world.read(session, "second", "MemoryBench", datetime.now(UTC), 0.72, 0.80)
    page.get_by_role("status", name="Changes").filter(has_text="MemoryBench: #2").wait_for()
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


@pytest.mark.parametrize("name", [*VIEWS, "board", "hypothesis", "digest", "labrun", "construction"])
def test_a_phone_shows_it_without_scrolling_sideways(site, name):
    page = site.open(deep(site, name), size=(390, 844))
    page.locator("section table:visible, section details, section li").first.wait_for()
    wide = page.evaluate("""() => [document.documentElement, ...document.querySelectorAll("section[aria-label]")]
        .filter((e) => e.scrollWidth > e.clientWidth + 1).map((e) => e.outerHTML.slice(0, 80))""")
    assert wide == [], "tables scroll by themselves"
    if name == "position":
        shot(page, "phone")
    page.context.close()


def test_an_empty_project_says_what_will_fill_it(site):
    page = site.open(view("position", project="empty"))
    page.get_by_text("Nothing waits for a person.").wait_for()
    shot(page, "empty")
    page.goto(site.url + view("work", project="empty"))
    page.get_by_text("Nothing is queued. The next sweep searches.").wait_for()
    page.get_by_text("No trial is running.").wait_for()
    assert page.get_by_role("alert").count() == 0
    page.get_by_label("Project").select_option("default")
    page.get_by_role("link", name="Position").click()
    page.get_by_role("link", name="MemoryBench").wait_for()
    page.context.close()


def test_a_switch_of_project_forgets_what_belongs_to_the_other(site):
    page = site.open(view("hypothesis", id=site.ids["hypothesis"]))
    page.get_by_role("heading", name=f"Hypothesis {site.ids['hypothesis']}").wait_for()
    page.get_by_label("Project").select_option("second")
    page.get_by_role("region", name="Position", exact=True).locator("table").wait_for()
    assert "project=second" in page.url
    assert "id=" not in page.url
    page.get_by_role("link", name="Experiments").click()
    page.get_by_role("table", name="Queue, best first").wait_for()
    assert "project=second" in page.url, "the project stays from view to view"
    page.context.close()


def test_a_digest_has_its_link(site):
    page = site.open(view("digests"))
    page.get_by_role("link", name="2026-02-23").click()
    page.get_by_role("heading", name="Digest of the week of 2026-02-23").wait_for()
    assert "week=2026-02-23" in page.url
    page.reload()
    page.get_by_text(f"Rival {EVIL} moved").wait_for()
    page.context.close()


def test_a_run_of_an_agent_is_read_and_what_it_says_is_text(site):
    page = site.open(view("lab"), user="viewer")
    page.get_by_text("third/compress-1 cannot be read").wait_for()
    page.get_by_role("link", name="first/compress-1").click()
    page.get_by_role("img", name="Best reward so far: 0.600 after 3 attempts").wait_for()
    page.get_by_text(
        re.compile(r"Chosen: attempt 3; verified anew on 3 seeds: score 1\.9500 \[1\.9000, 2\.0000\]")
    ).wait_for()
    table = page.get_by_role("table", name="Attempts in order")
    assert f"does not compile {EVIL}" in table.inner_text() and page.title() != "owned"
    assert serious_faults(page) == []
    shot(page, "lab-run")
    page.get_by_role("link", name="All runs").click()
    page.get_by_role("table", name="Runs of agents, newest first").wait_for()
    page.context.close()


def test_a_construction_is_read_and_what_it_says_is_text(site):
    page = site.open(view("constructions"), user="viewer")
    page.get_by_text("damaged cannot be read").wait_for()
    page.get_by_text("searching, 2 of 8 descriptions").wait_for()
    page.get_by_role("link", name="ended").click()
    page.get_by_text(f"Are brackets balanced? {EVIL}", exact=True).wait_for()
    page.get_by_text("no headline").wait_for()
    assert "difficulty" in page.get_by_role("table", name="How the instrument reads").inner_text()
    assert "planted_0" in page.get_by_role("table", name="Candidates, best first").inner_text()
    page.get_by_text("REPORT.md").click()
    assert "# brackets" in page.get_by_label("Report").inner_text() and page.title() != "owned"
    assert serious_faults(page) == []
    shot(page, "construction")
    page.get_by_role("link", name="All constructions").click()
    page.get_by_role("table", name="Constructions, newest first").wait_for()
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


def test_an_idea_is_proposed_and_its_patch_is_text(site):
    first, second = (TOY / "solutions" / "toy" / "train.py").read_text().splitlines()[:2]
    patch = f"--- a/train.py\n+++ b/train.py\n@@ -1,2 +1,3 @@\n {first}\n+# {EVIL}\n {second}\n"
    page = site.open(view("work"))
    page.get_by_role("button", name="Propose a change").click()
    page.get_by_label("Title").fill("Read five, and say so")
    page.get_by_label("Knobs").fill("reads: 7")
    page.get_by_label("Estimated gain").fill("0.02")
    page.get_by_role("button", name="Propose", exact=True).click()
    page.get_by_role("alert").get_by_text("implementation.params.reads: should lie in [1, 6]").wait_for()
    page.get_by_label("Knobs").fill("reads: 5, colour: green")
    page.get_by_label("Patch of production's code").fill(patch)
    shot(page, "propose")
    page.get_by_role("button", name="Propose", exact=True).click()
    page.get_by_text("(queued): waits in the queue").wait_for()
    page.get_by_role("link", name=re.compile("Read five, and say so")).click()
    diff = page.get_by_role("region", name="Patch of the code")
    diff.get_by_text(f"+# {EVIL}").wait_for()
    assert page.title() != "owned"
    shot(page, "diff")
    page.context.close()


def test_a_trial_is_invalidated(site):
    page = site.open(view("hypothesis", id=site.ids["hypothesis"]))
    answer(page, f"Invalidate {site.ids['trial']}")
    page.get_by_role("cell", name="invalid: admin: it is right").wait_for()
    with site.sessions() as session:
        assert trials.get(session=session, project="default", trial_id=site.ids["trial"]).state == "cancelled"
    page.context.close()


def test_a_question_that_asks_for_no_approval_is_closed(site):
    page = site.open()
    page.get_by_text("Rival cannot be read").click()
    answer(page, "Close", "its report is public now")
    page.get_by_text("Rival cannot be read").wait_for(state="detached")
    page.context.close()


def test_an_outdated_question_for_approval_is_closed(site):
    key = f"approve-promotion/{site.ids['first_decision']}"
    with site.sessions.begin() as session:
        records.escalate(session=session, project="default", key=key, title="An old question", brief="Promote it?")
    page = site.open(user="viewer")
    page.get_by_text("An old question").click()
    page.get_by_text("Outdated: the experiment no longer waits for an answer.").wait_for()
    assert page.get_by_role("button", name="Close", exact=True).count() == 0
    page.context.close()
    page = site.open()
    page.get_by_text("An old question").click()
    page.get_by_role("button", name="Close", exact=True).wait_for()
    assert page.get_by_role("button", name=re.compile("the promotion")).count() == 0
    shot(page, "outdated")
    answer(page, "Close", "it was decided anew")
    page.get_by_text("An old question").wait_for(state="detached")
    with site.sessions() as session:
        told = {e.subject: e.reason for e in records.logged(session=session, project="default", kind="escalation")}
    assert told[key] == "closed by admin: it was decided anew"
    page.context.close()


def test_a_promotion_is_rejected(site):
    page = site.open(view("position", project="second"))
    page.get_by_text(f"{site.ids['waiting']} waits for approval").click()
    page.get_by_role("button", name="Approve the promotion").wait_for()
    answer(page, "Reject the promotion", "too slow for us")
    page.get_by_text(f"{site.ids['waiting']} waits for approval").wait_for(state="detached")
    with site.sessions() as session:
        found = hypotheses.get(session=session, project="second", hypothesis_id=site.ids["waiting"])
    assert (found.status, found.reason) == ("archived", "rejected by admin: too slow for us")
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
@pytest.mark.parametrize("name", ["board", "hypothesis", "digest"])
def test_axe_finds_nothing_serious_in_what_links_lead_to(site, name, scheme):
    page = site.open(deep(site, name), scheme=scheme)
    page.locator("section table:visible, section details, section li").first.wait_for()
    assert serious_faults(page) == []
    page.context.close()
