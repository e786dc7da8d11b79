"""Control groups: found where they may be used, and read in both versions."""

import os
import subprocess
import sys
import time
from pathlib import Path

import pytest

from auto_benchmark.runners import cgroup
from auto_benchmark.runners.cgroup import MEMORY, PIDS, PROCESSOR, Places, TrialGroup, trial_group
from auto_benchmark.runners.runner import EnvironmentFaultError

HAS_GROUPS = cgroup.places().counts(MEMORY) and cgroup.places().counts(PIDS)
FILES = {
    1: {"memory.stat": "total_rss 2097152\ntotal_shmem 1048576\ncache 99999999\n", "cpuacct.usage": "1500000000\n",
        "memory.oom_control": "oom_kill_disable 0\nunder_oom 0\noom_kill 2\n", "pids.events": "max 3\n"},
    2: {"memory.stat": "anon 2097152\nshmem 1048576\nfile 99999999\n", "cpu.stat": "usage_usec 1500000\nuser_usec 1\n",
        "memory.events": "low 0\noom 2\noom_kill 2\n", "pids.events": "max 3\n"},
}  # fmt: skip


@pytest.mark.parametrize("version", [1, 2])
def test_usage_is_read_in_both_versions(tmp_path, version):
    names = (
        {MEMORY: "memory", PIDS: "pids", PROCESSOR: "cpu"}
        if version == 1
        else dict.fromkeys([MEMORY, PIDS, PROCESSOR], "")
    )
    places = Places(version, {name: tmp_path / folder for name, folder in names.items()})
    for folder in set(places.directories.values()):
        folder.mkdir(exist_ok=True)
    group = TrialGroup(places, memory_mb=100, pids=10)
    for directory in group.directories:
        for name, content in FILES[version].items():
            (tmp_path / directory / name).write_text(content)
    usage = group.usage()
    assert (usage.memory_mb, usage.cpu_s, usage.killed_for_memory, usage.refused_processes) == (3.0, 1.5, 2, 3)
    limit = "memory.limit_in_bytes" if version == 1 else "memory.max"
    if version == 2:
        assert (tmp_path / group.directories[0] / limit).read_text() == str(100 * 2**20)
        assert (tmp_path / group.directories[0] / "pids.max").read_text() == "14"


def test_a_group_that_cannot_be_made_is_a_fault_of_the_environment(tmp_path):
    with pytest.raises(EnvironmentFaultError, match="no control group"):
        TrialGroup(Places(2, {PIDS: tmp_path / "absent"}), memory_mb=1, pids=1)


def test_a_machine_without_groups_has_none():
    with trial_group(Places(0, {}), memory_mb=1, pids=1) as group:
        assert group is None


def test_groups_of_killed_runners_are_removed_and_those_of_living_ones_stay(tmp_path):
    ended = subprocess.Popen(["true"])
    ended.wait()
    stale, living = (tmp_path / f"{cgroup.PREFIX}{pid}-00" for pid in (ended.pid, os.getpid()))
    for folder in (stale, living):
        folder.mkdir()
    cgroup._remove_stale(tmp_path)
    assert not stale.exists() and living.exists()


@pytest.mark.parametrize(
    ("mount", "group", "expected"),
    [
        (("/sys/fs/cgroup/memory", "/"), "/a/b", "/sys/fs/cgroup/memory/a/b"),
        (("/sys/fs/cgroup/memory", "/docker/x"), "/docker/x", "/sys/fs/cgroup/memory"),
        (("/sys/fs/cgroup/memory", "/docker/x"), "/docker/x/y", "/sys/fs/cgroup/memory/y"),
        (("/sys/fs/cgroup", "/docker/x"), "/elsewhere", "/sys/fs/cgroup"),
        (("/sys/fs/cgroup", "/"), "/", "/sys/fs/cgroup"),
    ],
)
def test_a_processs_own_group_is_found_below_whatever_is_mounted(mount, group, expected, tmp_path):
    assert str(cgroup._directory((Path(mount[0]), mount[1]), group)) == expected


@pytest.mark.skipif(not HAS_GROUPS, reason="needs control groups of its own")
def test_the_kernel_bounds_counts_and_ends_a_group():
    with trial_group(cgroup.places(), memory_mb=60, pids=10) as group:
        enter = "; ".join(f"echo $$ > {directory}/cgroup.procs" for directory in group.directories)
        storm = f"{enter}; i=0; while [ $i -lt 40 ]; do sleep 60 & i=$((i+1)); done; wait"
        process = subprocess.Popen(["sh", "-c", storm], stderr=subprocess.DEVNULL)
        deadline = time.monotonic() + 10
        while not group.usage().refused_processes and time.monotonic() < deadline:
            time.sleep(0.02)
        assert group.usage().refused_processes > 0
        assert len(group.processes()) <= 14
        assert group.end() and group.processes() == set()
        process.wait(5)
        assert group.usage().memory_mb is not None and group.usage().cpu_s > 0
        directories = group.directories
    assert not any(Path(directory).exists() for directory in directories)


@pytest.mark.skipif(not HAS_GROUPS, reason="needs control groups of its own")
def test_the_kernel_kills_what_takes_too_much_memory():
    with trial_group(cgroup.places(), memory_mb=60, pids=10) as group:
        enter = "; ".join(f"echo $$ > {directory}/cgroup.procs" for directory in group.directories)
        hoard = "hoard = bytearray(b'x') * (200 * 2**20)"
        done = subprocess.run(
            ["sh", "-c", f'{enter}; exec "$0" -c "{hoard}"', sys.executable], check=False, timeout=20
        )
        assert done.returncode == -9 and group.usage().killed_for_memory == 1
