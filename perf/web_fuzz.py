"""Random requests to the page's API: no failure of the server, nothing crosses projects (``make acceptance``).

PYTHONPATH=include:plugins:. .venv/bin/python perf/web_fuzz.py [--requests 5000] [--out perf/results/web_fuzz.json]
"""

import argparse
import json
import tempfile
import time
from pathlib import Path
from typing import Any

from tests import airflow_home, web_world
from tests.security.web_requests import ask_at_random

from auto_benchmark.db.embedded import FAST_AND_UNSAFE, EmbeddedPostgres
from auto_benchmark.db.migrate import upgrade
from auto_benchmark_airflow.web.world import World

assert airflow_home.HOME
REQUESTS = 5000


def ask(requests: int = REQUESTS) -> dict[str, Any]:
    """What was answered to so many requests. Raises AssertionError where an answer is not as it must be."""
    with tempfile.TemporaryDirectory(prefix="auto-benchmark-perf-") as folder:
        Path(folder).chmod(0o755)
        with EmbeddedPostgres(Path(folder) / "pg", settings=FAST_AND_UNSAFE) as server:
            url = server.create_database("perf")
            upgrade(url)
            began = time.perf_counter()
            found = ask_at_random(World(web_world.settings_of(Path(folder) / "project"), lambda: url), requests)
            return {**found, "seconds": round(time.perf_counter() - began, 1)}


def main() -> None:
    asked = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    asked.add_argument("--requests", type=int, default=REQUESTS)
    asked.add_argument("--out", type=Path, help="also write the result there")
    options = asked.parse_args()
    found = json.dumps(ask(options.requests), indent=1)
    print(found)
    if options.out:
        options.out.write_text(found + "\n")


if __name__ == "__main__":
    main()
