"""A trial that the machine starves does not look cheap: what it waited for counts until it is known not to be wanted."""

from __future__ import annotations

import pytest
from tests.security.busy_machine import busy_processor, one_busy_processor
from tests.security.cheat_arena import arena
from tests.security.hundred_cheats import Case, Kind
from tests.security.test_lesser_machines import NOBODY, machine

from auto_benchmark.promotion.guarding import COST_LIMITS, STARVED

pytestmark = pytest.mark.timeout(240)
TAKEN_S = 1.5
LONGER_S = (STARVED.absolute or 0.0) + 1.0
"""More than what is allowed for waiting."""
BOUND = "os.sched_setaffinity(0, {{{}}})\n"
"""The trial is bound to the busy processor; what runs and judges it is not."""
REPORT = "report(latency_ms=1.0)\n"
UNTIL = f"until = time.monotonic() + {TAKEN_S}\n"
SPINS = f"os.nice(19)\n{UNTIL}while time.monotonic() < until: pass\n"
IN_A_PROCESS = f"""child = os.fork()
if child == 0:
    os.nice(19)
    {UNTIL}    while time.monotonic() < until: pass
    os._exit(0)
os.waitpid(child, 0)
"""
IN_MANY = f"""os.nice(19)
{UNTIL}while time.monotonic() < until:
    child = os.fork()
    if child == 0:
        for _ in range(20_000): pass
        os._exit(0)
    os.waitpid(child, 0)
"""
IN_A_THREAD = f"""import threading
def spin():
    {UNTIL}    while time.monotonic() < until: pass
os.nice(19)
thread = threading.Thread(target=spin); thread.start(); thread.join()
"""
ALLOWED_S = COST_LIMITS["cpu_s"].absolute or 0.0


@pytest.mark.parametrize(
    "code", [SPINS, IN_A_PROCESS, IN_MANY, IN_A_THREAD], ids=["itself", "process", "many", "thread"]
)
def test_what_a_starved_trial_waited_for_is_counted(hostile, code):
    """On a quiet machine each takes a second and a half of a processor; here it gets a fraction of that."""
    with busy_processor() as processor:
        ended = hostile.run(BOUND.format(processor) + code + REPORT)
    assert ended.state == "done", ended.err
    measured = ended.stored["measured"]
    assert measured["cpu_s"] < TAKEN_S / 2, f"not starved: {measured}"
    assert measured["cpu_at_most_s"] >= TAKEN_S - ALLOWED_S / 2, measured


@pytest.mark.parametrize("code", [SPINS, IN_MANY], ids=["itself", "many"])
def test_without_control_groups_it_is_counted_as_well(hostile, code):
    """Another user, who sees its processes now and then, and what the whole machine waited for."""
    before = machine(NOBODY, ("namespaces", "cgroups"), own=[hostile.root])
    with busy_processor() as processor:
        ended = hostile.run(BOUND.format(processor) + code + REPORT, wrapped_in=before)
    assert ended.state == "done", ended.err
    measured = ended.stored["measured"]
    assert measured["cpu_s"] < TAKEN_S / 2, f"not starved: {measured}"
    assert measured["cpu_at_most_s"] >= TAKEN_S - ALLOWED_S / 2, measured


def test_a_trial_that_only_rests_has_waited_for_little(hostile):
    measured = hostile.run("time.sleep(1.5)\nreport(latency_ms=1.0)").stored["measured"]
    assert measured["cpu_s"] <= measured["cpu_at_most_s"] < measured["cpu_s"] + measured["wall_s"] - 1.2


def test_a_trial_cannot_say_what_it_wanted(hostile):
    ended = hostile.run("report(latency_ms=1.0, cpu_at_most_s=1e-9)")
    assert ended.told["metrics"].get("cpu_at_most_s", 1.0) > 1e-3, ended.told


@pytest.mark.chaos
def test_a_cheat_that_sleeps_while_production_waits_is_not_promoted(open_directory, postgres, template_database):
    """On a busy machine production takes long as well: four times that were room for more than three seconds."""
    folder = open_directory / "sleeper"
    folder.mkdir()
    case = Case(Kind.TIME_AND_MEMORY, "rests while production waits", "well()\ntime.sleep(3.2)")
    with arena(folder, postgres, template_database, [case]) as door, one_busy_processor(6):
        tried = door.try_(case)
    assert not tried.promoted and "no_regression" in tried.against, tried


def test_a_starved_cheat_is_not_promoted(open_directory, postgres, template_database):
    """It answers well, and in a process of its own it takes every processor that is free."""
    folder = open_directory / "starved"
    folder.mkdir()
    case = Case(
        Kind.TIME_AND_MEMORY,
        "spins while others have the processor",
        f"well()\n{IN_A_PROCESS.replace(str(TAKEN_S), str(LONGER_S))}",
    )
    with arena(folder, postgres, template_database, [case]) as door, one_busy_processor():
        tried = door.try_(case)
    assert not tried.promoted and "no_regression" in tried.against, tried
