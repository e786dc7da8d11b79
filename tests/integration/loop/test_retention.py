"""What gc removes of the home, and what it leaves."""

import json
import os
import time

import pytest

from auto_benchmark.artifacts import trial_folder
from auto_benchmark.artifacts.code_tree import code_tree
from auto_benchmark.artifacts.fingerprint import folder_sha256
from auto_benchmark.artifacts.neutral_place import RUNNING
from auto_benchmark.project import retention

DAY_S = 86_400.0


@pytest.fixture
def copies(toy):
    """A copy of the solution's code that no trial has run for 31 days, and one of today; no row names either."""
    ctx, found = toy.follow(), []
    for age_days in (31, 0):
        toy.files.train_also(f"# {age_days} days old")
        sha256 = folder_sha256(toy.files.solution)
        copy = code_tree(toy.files.solution, sha256, ctx.settings.root)
        at = time.time() - age_days * DAY_S
        os.utime(copy.parent, (at, at))
        found.append(copy)
    return found


def test_gc_removes_copies_of_code_that_no_trial_has_run_for_long(toy, copies, command):
    old, young = copies
    size = sum(path.stat().st_size for path in old.rglob("*") if path.is_file())
    for dry in (["--dry-run"], []):
        code, out = command("gc", *dry, "--json")
        assert code == 0 and json.loads(out)["removed"]["code"] == {"files": 2, "bytes": size}
        assert old.exists() == bool(dry) and young.exists()
    assert not old.parent.exists()
    code, out = command("gc", "--json")
    assert json.loads(out)["removed"]["code"] == {"files": 0, "bytes": 0}


def test_what_gc_has_removed_is_made_again_for_the_next_trial(toy, copies, command):
    _, young = copies
    os.utime(young.parent, (1, 1))
    command("gc")
    assert not young.exists()
    assert code_tree(toy.files.solution, folder_sha256(toy.files.solution), toy.ctx.settings.root) == young


def test_what_a_killed_worker_left_goes_with_the_checkpoints(toy, command):
    places = [toy.ctx.settings.root / RUNNING / name for name in ("old", "young")]
    for place in places:
        place.mkdir(parents=True)
        (place / "train.log").write_text("so far")
    os.utime(places[0], (1, 1))
    code, out = command("gc", "--json")
    assert code == 0 and json.loads(out)["removed"]["unfinished"] == {"files": 1, "bytes": 6}
    assert [place.exists() for place in places] == [False, True]


@pytest.mark.parametrize("chosen", [1, 4_000_000_000])
def test_a_file_is_as_old_as_it_is_whatever_time_the_trial_gave_it(toy, command, monkeypatch, chosen):
    folder = toy.ctx.home / "experiments" / "results" / "H-001" / "seed-1"
    output = trial_folder.empty_output(folder)
    for name in (trial_folder.PREDICTIONS, trial_folder.CHECKPOINT, trial_folder.LOG):
        (output / name).write_text("x")
        os.utime(output / name, (chosen, chosen))
    trial_folder.keep_output(folder)
    unfinished = toy.ctx.settings.root / RUNNING / "one"
    unfinished.mkdir(parents=True)
    os.utime(unfinished, (4_000_000_000, 4_000_000_000))
    kept = [
        folder / trial_folder.PREDICTIONS,
        folder / trial_folder.CHECKPOINT,
        folder / trial_folder.LOG,
        unfinished,
    ]
    command("gc")
    assert all(path.exists() for path in kept)
    longest = max(dict(toy.ctx.config.schedule.retention).values())
    now = time.time()
    monkeypatch.setattr(retention.time, "time", lambda: now + (longest + 1) * DAY_S)
    retention.collect(toy.ctx)
    assert not any(path.exists() for path in kept)
