"""A construction that follows a saturated board, killed anywhere, is gone on with and adopted once; two keep apart."""

import os
import signal
import subprocess
import sys
import time

import pytest
import yaml
from tests.integration.test_saturation import REQUEST, again, log_of, saturated
from tests.toy_project import environment, toy_context, toy_database

from auto_benchmark.construction.in_project import FOLDER
from auto_benchmark.construction.publish import ASIDE, publish
from auto_benchmark.flows import cycle, inline
from auto_benchmark.kinds import LogKind
from auto_benchmark.project.adopted_boards import adopted_boards
from auto_benchmark.project.configuration_check import check

RUN = """
import sys
from auto_benchmark.flows import inline
from auto_benchmark.settings import Settings
from tests.toy_project import toy_context
with toy_context(Settings(), sys.argv[1]) as ctx:
    print("begun", flush=True)
    print(inline.construct_due(ctx), flush=True)
"""
KILLS = 4


@pytest.fixture
def files(tmp_path):
    return saturated(tmp_path)


@pytest.fixture
def url(postgres, template_database):
    return toy_database(postgres, template_database)


def started(files, url) -> subprocess.Popen[str]:
    """A process that builds what is due, at its beginning."""
    variables = {**os.environ, **environment(files.settings()), "PYTHONPATH": os.pathsep.join(sys.path)}
    process = subprocess.Popen([sys.executable, "-c", RUN, url], env=variables, text=True,
                               stdout=subprocess.PIPE, stderr=subprocess.PIPE)  # fmt: skip
    assert process.stdout.readline() == "begun\n", process.stderr.read()
    return process


def state_of(files, ctx) -> dict:
    """What a construction leaves: files by name and content, rows."""
    place = files.benchmarks / "next_hill"
    return {
        "files": {str(file.relative_to(place)): file.read_bytes() for file in place.rglob("*") if file.suffix != ".pyc"
                  and file.is_file() and file.name not in {"REPORT.md", "quality.json"}},
        "boards": [board.name for board in adopted_boards(ctx.settings, ctx.project)],
        "log": [entry.subject for entry in log_of(ctx, LogKind.ADOPTION)],
    }  # fmt: skip


def test_killed_at_any_moment_it_is_gone_on_with_and_adopted_once(
    files, url, tmp_path_factory, postgres, template_database
):
    whole = saturated(tmp_path_factory.mktemp("whole"))
    with toy_context(whole.settings(), toy_database(postgres, template_database)) as ctx:
        inline.scrape(ctx)
        began = time.monotonic()
        inline.construct_due(ctx)
        seconds, expected = time.monotonic() - began, state_of(whole, ctx)
    with toy_context(files.settings(), url) as ctx:
        inline.scrape(ctx)
        for kill in range(KILLS):
            process = started(files, url)
            time.sleep(seconds * (kill + 0.5) / KILLS)
            process.send_signal(signal.SIGKILL)
            process.communicate()
        inline.construct_due(again(ctx))
        found = state_of(files, ctx)
        assert found["files"] == expected["files"] and found["boards"] == found["log"] == ["next_hill"]
        assert not [place for place in (files.benchmarks / ASIDE).iterdir() if place.is_dir()]
        assert not [fault for fault in check(ctx.settings)[0] if "/benchmarks/" in fault.file]
        assert inline.construct_due(again(ctx)) is None
        swept = inline.sweep(again(ctx))
        assert swept["experiments"], "the loop works on it"


def test_of_two_at_once_one_builds_and_the_other_says_so(files, url):
    with toy_context(files.settings(), url) as ctx:
        inline.scrape(ctx)
        ended = [process.communicate() for process in [started(files, url), started(files, url)]]
        said = [out.strip() for out, _ in ended]
        adopted = "{'board': 'next_hill', 'benchmark': 'next_hill', 'measured': True}"
        assert adopted in said, ended
        loser = ended[1 - said.index(adopted)]
        assert loser[0].strip() in {adopted, "None"} or "another construction works in this folder" in loser[1], loser
        assert state_of(files, ctx)["boards"] == ["next_hill"]


def test_each_of_two_saturated_boards_gets_its_own(files, url):
    registry = yaml.safe_load((files.config / "competitive_registry.yaml").read_text())
    (first,) = registry["target_leaderboards"]
    second = {**first, "name": "OtherBoard", "saturation": {"request": "other.yaml"}}
    registry["target_leaderboards"].append(second)
    (files.config / "competitive_registry.yaml").write_text(yaml.safe_dump(registry, sort_keys=False))
    (files.config / "other.yaml").write_text(yaml.safe_dump({**REQUEST, "name": "other_hill", "seed": 7}))
    with toy_context(files.settings(), url) as ctx:
        inline.scrape(ctx)
        built = [inline.construct_due(again(ctx)) for _ in range(3)]
        assert [one and one["board"] for one in built] == ["next_hill", "other_hill", None]


def test_a_request_that_cannot_be_built_stops_no_cycle_and_may_be_corrected(files, url):
    (files.config / "next.yaml").write_text(yaml.safe_dump({**REQUEST, "sources": ["nowhere"]}))
    said: list[str] = []
    with toy_context(files.settings(), url, say=said.append) as ctx:
        inline.scrape(ctx)
        assert cycle._constructed(ctx) is None
        assert any("no source 'nowhere'" in line and "next cycle tries again" in line for line in said), said
        (files.config / "next.yaml").write_text(yaml.safe_dump(REQUEST))
        assert cycle._constructed(ctx)["board"] == "next_hill"


def test_publishing_again_leaves_the_files_that_trials_read(files, url):
    with toy_context(files.settings(), url) as ctx:
        inline.scrape(ctx)
        inline.construct_due(ctx)
        before = {file: file.stat().st_ino for file in (files.benchmarks / "next_hill").rglob("*")}
        publish(ctx.settings, ctx.home / FOLDER / "next")
        assert {file: file.stat().st_ino for file in (files.benchmarks / "next_hill").rglob("*")} == before
