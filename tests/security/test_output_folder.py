"""Nobody but a trial writes into its output: what another user of the machine left there would count as its own."""

from __future__ import annotations

import os
import subprocess

import pytest

from auto_benchmark.artifacts.neutral_place import RUNNING

pytestmark = pytest.mark.timeout(60)
OTHER_USER = 61_234
INTRUDER = """
for turn in $(seq 2000); do
    for place in "$1"/* "$2"/output; do
        [ -e "$place" ] || continue
        if echo x 2>/dev/null >"$place/checkpoint.bin"; then echo dropped into "$place"; else echo refused; fi
    done
    sleep 0.01
done
"""
WRITES_SLOWLY = """
print("MODE", oct(out.stat().st_mode & 0o7777), flush=True)
time.sleep(1)
"""


def test_the_output_is_open_to_the_trial_alone(hostile):
    ended = hostile.run(WRITES_SLOWLY)
    assert ended.state == "done", ended.err
    assert "MODE 0o700" in ended.log


@pytest.mark.skipif(os.geteuid() != 0, reason="needs root, to become another user of the machine")
def test_another_user_leaves_nothing_among_a_trials_results(hostile):
    out = hostile.root / "seed-1"
    running = hostile.home / RUNNING
    running.mkdir(parents=True)
    # so that it finds them: their names are random, and the folder cannot be listed
    running.chmod(0o755)
    words = ["sh", "-c", INTRUDER, "sh", str(running), str(out)]
    intruder = subprocess.Popen(
        words, user=OTHER_USER, group=OTHER_USER, extra_groups=[], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL,
        text=True,
    )  # fmt: skip
    try:
        ended = hostile.run(WRITES_SLOWLY, out=out)
        intruder.terminate()
        said, _ = intruder.communicate(timeout=30)
    finally:
        intruder.kill()
        intruder.wait()
    assert ended.state == "done", ended.err
    assert set(said.split("\n")) == {"refused", ""}, said
    assert not (out / "checkpoint.bin").exists()
