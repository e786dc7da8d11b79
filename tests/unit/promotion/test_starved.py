"""What a starved trial can have wanted of processors stands against a promotion, and at the cap a person is asked."""

import pytest
from tests.unit.promotion.test_guarding import COST, evidence, side

from auto_benchmark.promotion.gate import Case, decide, thaw
from auto_benchmark.promotion.guarding import gate_guards
from auto_benchmark.promotion.schema import Decision, Verdict
from auto_benchmark.registry.guard import Guard
from auto_benchmark.stats.looks import CAP

GOT = COST["cpu_s"]


def decided(
    at_most: float, n: int = CAP, control: float = GOT, declared: tuple[Guard, ...] = (), **other: float
) -> Decision:
    candidate = side(0.9, 100, n, cpu_at_most_s=at_most, **other)
    theirs = side(0.6, 1, n, cpu_s=control, cpu_at_most_s=50 * control)
    guards = gate_guards(declared, "accuracy", candidate, theirs, scored=("accuracy",))
    stored = Case(evidence=evidence(candidate, theirs), guards=guards).model_dump_json()
    assert thaw(stored).guards == guards
    return decide(evidence(candidate, theirs), guards=guards)


@pytest.mark.parametrize("factor", [1.0, 3.0, 9.5])
def test_ordinary_waiting_holds_nothing_up(factor):
    """On a busy machine a trial gets a third of what it asks for, or a fifth; that is no reason to ask a person."""
    assert decided(factor * GOT).verdict is Verdict.PROMOTE


def test_a_starved_candidate_is_measured_further_and_then_held_for_a_person():
    early, late = decided(12 * GOT, n=5), decided(12 * GOT)
    assert (early.verdict, early.is_for_a_person) == (Verdict.INCONCLUSIVE, False)
    assert (late.verdict, late.is_for_a_person) == (Verdict.INCONCLUSIVE, True)
    assert "cpu_s is not established, since the machine was too busy: 7." in late.reason


def test_production_that_was_starved_as_well_gives_no_room():
    """It is what production got that counts, not what it waited for beside its neighbours."""
    assert decided(12 * GOT).verdict is decided(12 * GOT, control=GOT * 1.1).verdict is Verdict.INCONCLUSIVE


def test_what_is_known_to_be_wrong_is_refused_for_good():
    dearer = decided(40 * GOT, cpu_s=20 * GOT)
    assert dearer.verdict is Verdict.REJECT and not dearer.is_for_a_person


def test_a_declared_limit_widens_the_room_and_a_narrow_one_does_not_hold_up_on_a_busy_machine():
    assert decided(12 * GOT, declared=(Guard.declared("cpu_time", 14.0),)).verdict is Verdict.PROMOTE
    assert decided(2 * GOT, declared=(Guard.declared("cpu_time", 0.1),)).verdict is Verdict.PROMOTE


def test_where_nothing_counts_waiting_the_guard_is_as_before():
    candidate, control = side(0.9, 100), side(0.6, 1)
    names = {guard.name for guard in gate_guards((), "accuracy", candidate, control)}
    assert "cpu_at_most_s" not in names and "cpu_s" in names


def slept(wall_s: float, control_wall_s: float, n: int = CAP) -> Decision:
    """Both sides compute alike; what they took beyond that, production waited and the candidate did not."""
    candidate = side(0.9, 100, n, wall_s=wall_s, cpu_at_most_s=GOT)
    control = side(0.6, 1, n, wall_s=control_wall_s, cpu_at_most_s=control_wall_s)
    guards = gate_guards((), "accuracy", candidate, control, scored=("accuracy",))
    return decide(evidence(candidate, control), guards=guards)


def test_a_sleeper_has_no_room_in_what_a_busy_machine_made_of_productions_time():
    """Its wall time is within four times production's; production only waited for a processor."""
    told = slept(wall_s=20 * GOT, control_wall_s=8 * GOT)
    assert (told.verdict, told.is_for_a_person) == (Verdict.INCONCLUSIVE, True)
    assert "wall_s is not established, since the machine was too busy" in told.reason


def test_a_candidate_that_meets_a_quiet_machine_after_production_met_a_busy_one_passes():
    assert slept(wall_s=1.2 * GOT, control_wall_s=8 * GOT).verdict is Verdict.PROMOTE
