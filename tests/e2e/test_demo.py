"""``make demo`` and the stack around it, from nothing to #1 and back to nothing."""

import json
import os
import re
import shutil
import socket
import subprocess
import sys
import tempfile
import time
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import psutil
import pytest
from tests.airflow_home import REPOSITORY
from tests.browser.pages import VIEWS, Pages, answer, chromium, serious_faults, shot, view
from tests.waiting import ended, eventually

from auto_benchmark.db.engine import engine, session_factory
from auto_benchmark.db.repositories import hypotheses, records
from auto_benchmark.hypotheses.hypothesis import Hypothesis, Implementation
from auto_benchmark.project.configuration import load_project
from auto_benchmark.registry.technique_catalog import Effort
from auto_benchmark.reporting.words import counted
from auto_benchmark.settings import Settings
from auto_benchmark.stack.demo import demo_settings
from auto_benchmark.stack.launcher import Launcher

pytestmark = [pytest.mark.e2e, pytest.mark.timeout(1500)]
KEYS = [
    *("rank_before", "rank_after", "board", "hypothesis_id"),
    *("score_before", "score_after", "arena_score", "decision_id", "seconds"),
]


def stack(home: Path, *arguments: str, timeout: float = 900) -> subprocess.CompletedProcess[str]:
    environment = {k: v for k, v in os.environ.items() if not k.startswith(("AIRFLOW", "AUTO_BENCHMARK"))}
    environment |= {"AUTO_BENCHMARK_HOME": str(home), "PYTHONPATH": "include:plugins"}
    command = [sys.executable, "-m", "auto_benchmark", "stack", *arguments]
    return subprocess.run(
        command, env=environment, cwd=REPOSITORY, capture_output=True, text=True, timeout=timeout, check=False
    )


def alive(home: Path) -> list[str]:
    """Command lines that name the home."""
    found = []
    for process in psutil.process_iter(["cmdline"]):
        line = " ".join(process.info["cmdline"] or [])
        if str(home) in line and process.pid != os.getpid():
            found.append(line)
    return found


@pytest.fixture
def home():
    """A directory that Postgres' own user can reach."""
    with public_directory() as path:
        yield path


@contextmanager
def public_directory():
    path = Path(tempfile.mkdtemp(prefix="auto-benchmark-e2e-"))
    path.chmod(0o755)
    yield path
    stack(path, "down")
    shutil.rmtree(path, ignore_errors=True)


@dataclass
class Demo:
    """The demo when its story is over and its stack still runs."""

    home: Path
    done: subprocess.CompletedProcess[str]

    @property
    def result(self):
        return json.loads(self.done.stdout.splitlines()[-1])


@pytest.fixture(scope="module")
def demo():
    with public_directory() as path:
        yield Demo(path, stack(path, "demo", timeout=1200))


@pytest.fixture(scope="module")
def browser():
    with chromium() as started:
        yield started


@pytest.fixture(scope="module")
def site(demo, browser):
    """The demo's pages, and its database."""
    assert demo.done.returncode == 0, demo.done.stdout[-3000:] + demo.done.stderr[-2000:]
    launcher = Launcher(demo_settings(Settings(home=demo.home)), lambda _: None)
    password = re.search(r"log in as admin with the password (\S+);", demo.done.stdout)[1]
    bind = engine(launcher.environment()["AUTO_BENCHMARK_DB_URL"])
    url = launcher.status()["urls"]["airflow"]
    with launcher.airflow() as api:
        for dag_id in set(api.dags()) - {"leaderboard_scrape"}:  # what their schedules start would answer first
            api.call("PATCH", f"/dags/{dag_id}", json={"is_paused": True})
        pages = Pages(browser, url, session_factory(bind), {"admin": password})
        pages.api = api
        yield pages
    bind.dispose()


def test_the_demo_ends_first(demo):
    done = demo.done
    assert done.returncode == 0, done.stdout[-3000:] + done.stderr[-2000:]
    result = demo.result
    assert list(result) == KEYS
    assert result["rank_after"] == 1 < result["rank_before"]
    assert result["arena_score"] > result["score_before"]
    assert abs(result["arena_score"] - result["score_after"]) < 0.05
    assert "rank drop" in done.stdout
    assert "promotion" in done.stdout
    assert list((demo.home / "demo" / "default" / "reports").glob("digest-*.md"))


@pytest.mark.browser
@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("name", list(VIEWS))
def test_every_view_of_the_demo_in_the_browser(site, name, scheme):
    page = site.open(view(name), scheme=scheme)
    part = page.get_by_role("region", name=VIEWS[name], exact=True)
    part.wait_for()
    part.locator("table, details, p").first.wait_for()
    assert page.locator("html").evaluate("e => e.classList.contains('dark')") == (scheme == "dark")
    assert page.get_by_role("alert").count() == 0
    shot(page, f"demo-{name}-{scheme}")
    assert serious_faults(page) == []
    page.context.close()


@pytest.mark.browser
def test_nobody_gets_anything_from_the_demo_in_the_browser(site):
    stranger = site.browser.new_context().request
    for path in ("projects", "default/summary", "default/boards", "default/escalations"):
        assert stranger.get(f"{site.url}/auto-benchmark/api/{path}").status == 401
    refused = stranger.post(f"{site.url}/auto-benchmark/api/default/hypotheses/H-001/pause", data={"reason": "x y z"})
    assert refused.status == 401


@pytest.mark.browser
def test_links_to_what_the_demo_did_in_the_browser(site, demo):
    result = demo.result
    page = site.open(view("position"))
    page.get_by_role("row", name=re.compile(result["board"])).filter(has_text="#1").wait_for()
    page.goto(site.url + view("board", board=result["board"]))
    page.get_by_role("img", name=re.compile(r"Our rank: from #\d+ to #1, \d+ readings, [1-9] promotions")).wait_for()
    shot(page, "demo-board")
    page.goto(site.url + view("hypothesis", id=result["hypothesis_id"]))
    page.get_by_role("img", name=re.compile("Improvement by look")).wait_for()
    rows = page.get_by_role("table", name=f"Trials of {result['hypothesis_id']}").locator("tbody tr")
    assert rows.count() >= 4, "fast validation and at least three seeds"
    shot(page, "demo-hypothesis")
    link = page.get_by_role("link", name="Runs in MLflow").get_attribute("href")
    answer_ = page.request.get(link, max_redirects=0)
    assert answer_.status == 307, answer_.text()
    assert re.search(r"/#/experiments/\d+/runs/[0-9a-f]{32}$", answer_.headers["location"])
    page.goto(site.url + view("digests"))
    page.get_by_role("table", name="Weekly digests, newest first").get_by_role("link").first.click()
    page.get_by_text(re.compile(f"{result['board']}: #1")).first.wait_for()
    shot(page, "demo-digest")
    page.context.close()


@pytest.mark.browser
def test_the_demos_home_page_sweep_tab_and_phone_in_the_browser(site):
    page = site.open("/")
    page.get_by_role("table", name="Our rank on each board").wait_for()
    shot(page, "demo-home")
    page.goto(site.url + "/dags/experiment_sweep_urgent/plugin/benchmark-sweep")
    page.locator("details", has_text=re.compile("^promote")).first.wait_for()
    shot(page, "demo-sweep-tab")
    page.context.close()
    page = site.open(size=(390, 844))
    page.get_by_role("region", name="Position", exact=True).locator("table").wait_for()
    assert page.evaluate("document.documentElement.scrollWidth <= document.documentElement.clientWidth + 1")
    shot(page, "demo-phone")
    page.context.close()


@pytest.mark.browser
def test_a_failing_api_in_the_browser(site):
    def fail(route):
        route.fulfill(status=503, json={"detail": "the project database cannot be read"})

    page = site.open(before=lambda page: page.route("**/default/boards*", fail))
    page.get_by_text("the project database cannot be read (503)").wait_for()
    shot(page, "demo-error")
    page.unroute("**/default/boards*", fail)
    page.get_by_role("table", name="Our position on each board").wait_for()
    page.context.close()


@pytest.mark.browser
def test_every_action_on_the_demo_in_the_browser(site, demo):
    with site.sessions.begin() as session:
        queued = hypotheses.add(session=session, project="default", hypothesis=asked_for())[0].id
        records.escalate(
            session=session, project="default", key="competitor/X", title="X cannot be read", brief="Read it."
        )
    page = site.open(view("work"))
    answer(page, f"Pause {queued}")
    answer(page, f"Resume {queued}")
    answer(page, f"Pause {queued}", "so that the sweep below leaves it alone")
    page.get_by_role("button", name=f"Resume {queued}").wait_for()
    page.goto(site.url + view("position"))
    page.get_by_text("X cannot be read").click()
    answer(page, "Close")
    page.get_by_text("X cannot be read").wait_for(state="detached")
    page.goto(site.url + view("hypothesis", id=demo.result["hypothesis_id"]))
    last = page.get_by_role("button", name=re.compile("^Invalidate")).last
    answer(page, last.inner_text())
    page.get_by_role("cell", name="invalid: admin: it is right").wait_for()
    for where, label, dag in (
        ("position", "Scrape now", "leaderboard_scrape"), ("work", "Urgent sweep", "experiment_sweep_urgent"),
    ):  # fmt: skip
        page.goto(site.url + view(where))
        with page.expect_response(re.compile(f"/api/v2/dags/{dag}/dagRuns")) as started:
            answer(page, label)
        assert started.value.status == 200, started.value.text()
        page.get_by_text("Done").wait_for()
        if dag == "leaderboard_scrape":
            ends(site.api, dag, started.value.json()["dag_run_id"])
    page.context.close()
    with site.sessions() as session:
        told = [e.reason for e in records.logged(session=session, project="default", kind="person")]
    assert len(told) == 3 and all("by admin: " in reason for reason in told)


def ends(api, dag_id, run_id, limit=240):
    """Wait until a run that the page has started has succeeded."""
    deadline = time.monotonic() + limit
    while (state := api.run(dag_id, run_id)["state"]) not in {"success", "failed"}:
        assert time.monotonic() < deadline, f"{dag_id} {run_id} is {state} after {limit} s"
        time.sleep(1)
    assert state == "success"


def asked_for():
    """A hypothesis that waits; nothing runs it."""
    solution = load_project(Settings()).solution.solution
    change = Implementation(
        change="one more", effort=Effort("Low"), estimated_gain=0.0001, base=solution.defaults, patch={"top_k": 7}
    )
    return Hypothesis(
        id=hypotheses.UNNUMBERED, title="One more", claim="It may help.", source="a person",
        target_leaderboards=["MemoryBench"], implementation=change, config_hash="asked-for", priority_score=0.1,
    )  # fmt: skip


def test_the_demo_leaves_nothing_running(demo):
    assert stack(demo.home, "down").returncode == 0
    assert alive(demo.home) == []


def test_the_stack_repairs_itself_and_keeps_its_data(home):
    assert stack(home, "up", "--paused").returncode == 0
    before = json.loads(stack(home, "status", "--json").stdout)
    assert None not in before["services"].values()
    triggerer = psutil.Process(before["services"]["triggerer"])
    orphans = eventually(lambda: triggerer.children(recursive=True), "a child of the triggerer")
    for process in orphans:
        process.suspend()  # else it may notice that its parent is gone, and end before anyone has to clear it
    for service in ("scheduler", "postgres", "dag-processor", "triggerer"):
        psutil.Process(before["services"][service]).kill()
    again = stack(home, "up", "--paused")
    assert again.returncode == 0, again.stderr
    assert (
        f"clearing {counted(len(orphans), 'process', 'processes')} that a dead triggerer left behind" in again.stderr
    )
    eventually(lambda: all(map(ended, orphans)), "the end of the orphans")
    after = json.loads(stack(home, "status", "--json").stdout)
    assert None not in after["services"].values()
    assert after["urls"] == before["urls"]
    assert after["services"]["api-server"] == before["services"]["api-server"]
    assert stack(home, "down").returncode == 0
    assert alive(home) == []
    port = int(before["urls"]["airflow"].rsplit(":", 1)[1])
    with socket.socket() as other:
        other.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        other.bind(("127.0.0.1", port))
        other.listen()
        refused = stack(home, "up")
    assert refused.returncode == 2
    assert f"{port} (airflow)" in refused.stderr
    assert "Traceback" not in refused.stderr
    assert alive(home) == []
