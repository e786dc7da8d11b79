"""How long a trial's tasks waited for a processor, from what the kernel says."""

import os

from auto_benchmark.runners.cgroup import waited_s
from auto_benchmark.runners.waiting import Waiting

CORES = len(os.sched_getaffinity(0))


def pressure(file, seconds):
    file.write_text(f"some avg10=1.00 avg60=0.50 avg300=0.10 total={seconds * 1_000_000:.0f}\nfull total=9\n")
    return file


def test_a_file_of_pressure_is_read_and_another_counts_nothing(tmp_path):
    assert waited_s(pressure(tmp_path / "cpu.pressure", 2.5)) == 2.5
    (tmp_path / "odd").write_text("some avg10=1")
    assert waited_s(tmp_path / "odd") is waited_s(tmp_path / "none") is None


def test_what_is_wanted_is_what_was_had_and_waited_for_but_no_more_than_there_is(tmp_path):
    waiting = Waiting(tmp_path / "none")
    assert waiting.cpu_at_most_s(1.0, 10.0, counted_s=2.0) == 3.0
    assert waiting.cpu_at_most_s(1.0, 10.0, counted_s=1e6) == max(1.0, CORES * 10.0)
    assert waiting.cpu_at_most_s(1.0, 10.0, counted_s=None) is None, "the kernel says nothing about waiting"


def test_where_no_look_has_seen_what_ran_the_machines_waiting_counts(tmp_path):
    """Processes that begin and end between two looks would hide."""
    waiting = Waiting(pressure(tmp_path / "cpu", 5))
    waiting.look([os.getpid()])
    seen = waiting.cpu_at_most_s(0.01, 8.0, counted_s=None)
    pressure(tmp_path / "cpu", 9)
    assert waiting.cpu_at_most_s(0.01, 8.0, counted_s=None) == seen
    ran = os.times().user + os.times().system
    assert waiting.cpu_at_most_s(ran + 3.0, 8.0, counted_s=None) >= ran + 3.0 + min(4.0, 8.0 * CORES - ran - 3.0)


def test_processes_that_have_gone_are_passed_over():
    waiting = Waiting()
    waiting.look([2**22 + 1])
    assert waiting.cpu_at_most_s(1.0, 2.0, counted_s=None) is None
