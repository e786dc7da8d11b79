"""Runs the loop in fresh hidden worlds and prints search, gate and hidden scores of each promotion side by side.

PYTHONPATH=include .venv/bin/python perf/fresh_worlds.py --worlds 5 --cycles 3 --out perf/results/fresh_worlds.json
"""

import argparse
import datetime
import json
import os
import platform
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from sqlalchemy import text

from auto_benchmark.settings import Settings
from auto_benchmark.stack.session import database

PROMOTION = """
select p.hypothesis_id, p.config_hash, l.name, s.score,
  (select avg(m.value) from auto_benchmark.trials t join auto_benchmark.metric_values m on m.trial_id = t.id
   where t.config_hash = p.config_hash and t.purpose = 'search' and m.slice = '' and m.name = l.metric),
  (select avg(m.value) from auto_benchmark.trials t join auto_benchmark.metric_values m on m.trial_id = t.id
   where t.config_hash = p.config_hash and t.purpose = 'candidate' and m.slice = '' and m.name = l.metric),
  (select avg(m.value) from auto_benchmark.trials t join auto_benchmark.metric_values m on m.trial_id = t.id
   where t.config_hash = p.config_hash and t.purpose = 'estimate' and m.slice = '' and m.name = l.metric)
from auto_benchmark.production_configs p
join auto_benchmark.submissions s on s.production_config_id = p.id
join auto_benchmark.leaderboards l on l.id = s.leaderboard_id
where p.role = 'production' order by p.id, l.position
"""


def run_world(number: int, cycles: int, root: Path) -> dict:
    home = root / f"world{number}"
    home.mkdir()
    started = time.monotonic()
    done = subprocess.run(
        [sys.executable, "-m", "auto_benchmark", "loop", "run", "--cycles", str(cycles), "--json"],
        env={**os.environ, "AUTO_BENCHMARK_HOME": str(home)},
        stdout=subprocess.PIPE,
        stderr=(home / "loop.log").open("w"),
        check=True,
    )
    seconds = round(time.monotonic() - started, 1)
    cycle_ranks = [{p["board"]: p["rank"] for p in c["positions"]} for c in json.loads(done.stdout)["cycles"]]
    with database(Settings(home=home)) as sessions, sessions() as session:
        rows = session.execute(text(PROMOTION)).all()
    scores = [
        dict(zip(("hypothesis", "config", "board", "hidden", "search", "gate", "fresh"), row, strict=True))
        for row in rows
    ]
    return {"world": number, "seconds": seconds, "ranks": cycle_ranks, "scores": scores}


def shown(value: float | None) -> str:
    return "   —   " if value is None else f"{value:7.4f}"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--worlds", type=int, default=5)
    parser.add_argument("--cycles", type=int, default=3)
    parser.add_argument("--out", type=Path)
    arguments = parser.parse_args()
    worlds = []
    with tempfile.TemporaryDirectory(prefix="ab-worlds-") as root:
        Path(root).chmod(0o755)
        for number in range(1, arguments.worlds + 1):
            world = run_world(number, arguments.cycles, Path(root))
            worlds.append(world)
            print(f"world {number}: {world['seconds']} s, ranks after each cycle {world['ranks']}")
            print("  board            config            search   gate     fresh    hidden")
            for s in world["scores"]:
                name = s["hypothesis"] or "default"
                values = "  ".join(shown(s[k]) for k in ("search", "gate", "fresh", "hidden"))
                print(f"  {s['board']:<16} {name:<8} {s['config'][:8]} {values}")
    won = sum(world["ranks"][-1]["MemoryBench"] == 1 for world in worlds)
    print(f"rank 1 on MemoryBench in {won} of {len(worlds)} worlds")
    if arguments.out:
        facts = {
            "date": datetime.datetime.now(datetime.UTC).date().isoformat(),
            "command": f"perf/fresh_worlds.py --worlds {arguments.worlds} --cycles {arguments.cycles}",
            "cpus": os.cpu_count(),
            "machine": platform.machine(),
            "worlds": worlds,
        }
        arguments.out.parent.mkdir(parents=True, exist_ok=True)
        arguments.out.write_text(json.dumps(facts, indent=1) + "\n")


if __name__ == "__main__":
    main()
