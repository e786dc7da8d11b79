"""``check`` on broken configurations: file:line: message for each, exit 2, no traceback."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

INCLUDE = Path(__file__).resolve().parents[2] / "include"
REGISTRY, SCHEDULE = "config/competitive_registry.yaml", "config/schedule.yaml"
SOLUTION, BENCHMARK = "solutions/memory_retrieval/solution.yaml", "benchmarks/memory/benchmark.yaml"

BROKEN = [
    (REGISTRY, "scrape_method: html_table", "scrape_method: html_tabel", "scrape_method: should be 'html_table'"),
    (REGISTRY, "primary_metric: accuracy\n", "\n", "primary_metric: is required"),
    (REGISTRY, "higher_is_better: true\n", "\n", "higher_is_better: is required"),
    (REGISTRY, "higher_is_better: true", 'higher_is_better: "yes"', "higher_is_better: should be a valid boolean"),
    (REGISTRY, "name: LongContextEval", "name: MemoryBench", "'MemoryBench' is declared twice"),
    (REGISTRY, "domain: memory", "domain: memory\ndomain: vision", "domain: duplicate key"),
    (REGISTRY, "    scrape_method: api", "\tscrape_method: api", "not valid YAML"),
    (REGISTRY, "solution: memory_retrieval", "solution: nothing_here", "no folder solutions/nothing_here"),
    (
        REGISTRY,
        "promotion_threshold: 0.01",
        "promotion_threshold: -1",
        "promotion_threshold: should be greater than 0",
    ),
    (REGISTRY, "competitors: []", "competitors: {a: 1}", "competitors: should be a valid list"),
    (REGISTRY, "current_scores: {}", "current_scores: {Nope: 0.5}", "no leaderboard is called 'Nope'"),
    (REGISTRY, 'locate: {jsonpath: "$.entries[*]"}', "locate: {}", "give css, heading, table or jsonpath"),
    (REGISTRY, "url: /boards/MemoryBench", "url: gopher://x", "url must be http(s), file: or a path"),
    (REGISTRY, "our_solution:", "our_solutions:", "unknown key; did you mean 'our_solution'?"),
    (
        REGISTRY,
        "scrape_method: html_table",
        "scrape_method: html_table\n    aliases: {A: [x], B: [X]}",
        "alias 'X' stands for 'A' and for 'B'",
    ),
    (
        REGISTRY,
        "scrape_method: html_table",
        "scrape_method: html_table\n    aliases: {Rival: [OurSystem]}",
        "'OurSystem' is our own name",
    ),
    (SCHEDULE, '"0 6 * * *"', '"0 25 * * *"', "leaderboard_scrape: '0 25 * * *' is not a cron expression"),
    (SCHEDULE, "timezone: UTC", "timezone: Mars/Olympus", "there is no timezone 'Mars/Olympus'"),
    (SCHEDULE, "promotion: on", "promotion: maybe", "promotion: should be 'on', 'off' or 'approve'"),
    (SCHEDULE, "trials: 400", "trials: many", "budget.trials: should be a valid integer"),
    (SOLUTION, "benchmark: memory", "benchmark: nothing", "no folder benchmarks/nothing"),
    (SOLUTION, "name: memory_retrieval", "name: other", "should be the folder's name"),
    (SOLUTION, "command:", "comand:", "unknown key; did you mean 'command'?"),
    (BENCHMARK, "seed: 20260303", "seed: 20260202", "two splits with one seed hold the same items"),
    (BENCHMARK, "hidden: {worlds: 100}", "hidden: {seed: 7, worlds: 100}", "never written down"),
    (BENCHMARK, "higher_is_better: true", "higher_is_better: up", "higher_is_better: should be a valid boolean"),
]


@pytest.fixture(scope="module")
def include(tmp_path_factory):
    copy = tmp_path_factory.mktemp("check") / "include"
    for name in ("config", "solutions", "benchmarks"):
        shutil.copytree(INCLUDE / name, copy / name)
    return copy


def run_check(include: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    places = {f"AUTO_BENCHMARK_{name.upper()}": str(include / name) for name in ("config", "solutions", "benchmarks")}
    return subprocess.run(
        [sys.executable, "-m", "auto_benchmark", "check", *arguments],
        env={**os.environ, **places, "PYTHONPATH": str(INCLUDE)},
        capture_output=True,
        text=True,
        check=False,
        cwd=include,
    )


def test_the_bundled_files_are_sound(include):
    done = run_check(include)
    assert (done.returncode, done.stdout.splitlines()[0]) == (0, "every config file is sound"), done.stderr


@pytest.mark.parametrize(("file", "old", "new", "message"), BROKEN)
def test_each_fault_is_located(include, file, old, new, message):
    path = include / file
    sound = path.read_text()
    assert old in sound, f"{file} no longer holds {old!r}"
    path.write_text(sound.replace(old, new, 1))
    try:
        done = run_check(include)
    finally:
        path.write_text(sound)
    assert done.returncode == 2 and "Traceback" not in done.stderr
    line = next((text for text in done.stderr.splitlines() if message in text), None)
    assert line is not None, done.stderr
    assert line.startswith(f"{file}:"), line
    assert line.split(":")[1].isdigit(), line


def test_json_lists_the_faults(include):
    path = include / SCHEDULE
    sound = path.read_text()
    path.write_text(sound.replace("timezone: UTC", "timezone: 3"))
    try:
        done = run_check(include, "--json")
    finally:
        path.write_text(sound)
    assert done.returncode == 2 and '"ok": false' in done.stdout and '"field": "timezone"' in done.stdout


@pytest.mark.parametrize("content", [b"\xff\xfe\x00", b"", b"- a\n", b"a: &x [*x]\n"])
def test_files_that_are_no_documents(include, content):
    path = include / SCHEDULE
    sound = path.read_bytes()
    path.write_bytes(content)
    try:
        done = run_check(include)
    finally:
        path.write_bytes(sound)
    assert done.returncode == 2 and "Traceback" not in done.stderr and "schedule.yaml" in done.stderr
