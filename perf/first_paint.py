"""When the page "Benchmark" is painted in a browser with 1,000 boards and 1,000,000 entries, in ms since navigation.

``first`` is the browser's own first contentful paint, ``data`` the frame in which the view's first row of data stands.
Cold loads everything, warm has the scripts of Airflow in the browser's cache, as every visit but the first.

PYTHONPATH=include:plugins:. .venv/bin/python perf/first_paint.py [--boards 1000] [--entries 1000] [--visits 6]
"""

import argparse
import json
import os
import platform
import signal
import statistics
import sys
import tempfile
from pathlib import Path

from tests import web_world
from tests.browser.airflow_site import PASSWORDS, airflow_site
from tests.toy_project import environment
from web_api import PATHS, load, times_of

from auto_benchmark.db.embedded import FAST_AND_UNSAFE, EmbeddedPostgres
from auto_benchmark.db.migrate import upgrade
from auto_benchmark_airflow.web.world import World

LIMIT_MS = 1000.0
VIEWS = {
    "position": "view=position", "position by gap": "view=position&sort=gap", "matrix": "view=matrix",
    "board": "view=board&board=Board 500", "decisions": "view=decisions",
}  # fmt: skip
"""The views whose data grow with the boards, and one that does not."""
WATCH = """
new MutationObserver((_, me) => {
  if (document.querySelector("section[aria-label] tbody tr, section[aria-label] details, section[aria-label] svg")) {
    me.disconnect();
    requestAnimationFrame(() => { window.dataAt = performance.now(); });
  }
}).observe(document, { childList: true, subtree: true });
"""
READ = """() => ({
  first: performance.getEntriesByName("first-contentful-paint")[0]?.startTime ?? null, data: window.dataAt ?? null,
})"""


def main() -> None:
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(1))  # so that whoever stops us stops what we started
    asked = argparse.ArgumentParser()
    for name, usual in (("boards", 1000), ("entries", 1000), ("visits", 6), ("calls", 40)):
        asked.add_argument(f"--{name}", type=int, default=usual)
    asked.add_argument("--out", type=Path, help="also write the result there")
    options = asked.parse_args()
    with tempfile.TemporaryDirectory(prefix="auto-benchmark-perf-") as folder:
        Path(folder).chmod(0o755)
        with EmbeddedPostgres(Path(folder) / "pg", settings=FAST_AND_UNSAFE) as server:
            url = server.create_database("perf")
            upgrade(url)
            settings = web_world.settings_of(Path(folder) / "project")
            load(World(settings, lambda: url), options.boards, options.entries)
            home = Path(folder) / "airflow"
            home.mkdir()
            with airflow_site(home, environment(settings, db_url=url)) as at:
                api = served(at, options.calls)
                found = measure(at, options.visits)
    slow = [
        f"{view}, {kind}, {what}" for view, kinds in found.items() for kind, whats in kinds.items()
        for what, t in whats.items() if t["p95"] > LIMIT_MS
    ]  # fmt: skip
    facts = {"boards": options.boards, "entries": options.boards * options.entries, "cores": os.cpu_count()}
    about = {**facts, "machine": platform.machine(), "machine_load": round(os.getloadavg()[0], 1)}
    told = json.dumps({**about, "ms": found, "over_1_s": slow, "api_server_ms": api}, indent=1)
    print(told)
    if options.out:
        options.out.write_text(told + "\n")


def measure(url: str, visits: int) -> dict[str, dict[str, dict[str, dict[str, float]]]]:
    from playwright.sync_api import sync_playwright

    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(
            executable_path="/usr/bin/chromium", args=["--no-sandbox", "--disable-dev-shm-usage"]
        )
        state = sign_in(browser, url)
        found = {}
        for view, query in VIEWS.items():
            target = f"{url}/plugin/benchmark?{query}"
            cold = [visit(browser, state, target, warm=False) for _ in range(3)]
            warm = [visit(browser, state, target, warm=True) for _ in range(visits)]
            found[view] = {"cold": summary(cold), "warm": summary(warm)}
        browser.close()
    return found


def served(url: str, calls: int) -> dict[str, dict[str, float]]:
    """The API's times through Airflow's API server, with its login and its rights."""
    import httpx

    token = httpx.post(f"{url}/auth/token", json={"username": "admin", "password": PASSWORDS["admin"]}).json()
    with httpx.Client(base_url=url, cookies={"_token": token["access_token"]}, timeout=30) as client:
        return {path: times_of(lambda path=path: client.get(f"/auto-benchmark/api/{path}"), calls) for path in PATHS}


def sign_in(browser, url):
    context = browser.new_context()
    page = context.new_page()
    page.set_default_timeout(60_000)
    page.goto(f"{url}/plugin/benchmark")
    page.fill("input[name=username]", "admin")
    page.fill("input[name=password]", PASSWORDS["admin"])
    page.keyboard.press("Enter")
    page.get_by_role("heading", name="Benchmark", exact=True).wait_for()
    state = context.storage_state()
    context.close()
    return state


def visit(browser, state, target: str, *, warm: bool) -> dict[str, float]:
    """Open the page in a context of its own; warm opens it twice and measures the second time."""
    context = browser.new_context(storage_state=state, viewport={"width": 1280, "height": 900})
    context.add_init_script(WATCH)
    page = context.new_page()
    page.set_default_timeout(30_000)
    for _ in range(2 if warm else 1):
        page.goto(target)
        page.wait_for_function("window.dataAt !== undefined")
    told = page.evaluate(READ)
    context.close()
    return told


def summary(visits: list[dict[str, float]]) -> dict[str, dict[str, float]]:
    return {name: spread([v[name] for v in visits]) for name in ("first", "data")}


def spread(values: list[float]) -> dict[str, float]:
    ordered = sorted(values)
    p95 = ordered[min(len(ordered) - 1, int(0.95 * len(ordered)))]
    return {"p50": round(statistics.median(ordered), 0), "p95": round(p95, 0)}


if __name__ == "__main__":
    main()
