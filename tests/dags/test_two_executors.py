"""Both executors are the same machine: on drawn outcomes they take the same steps in the same order.

The Airflow side is Airflow's own ``DagRun``, trigger rules and expansion, and the operators' own ``execute``. What is
altered on one side alone, be it a limit, an order, an end condition or a rule, has to show.
"""

import logging
from dataclasses import replace

import pytest
from tests.executors import inline_side
from tests.executors.airflow_side import AirflowSide
from tests.executors.compare import FIRST_SEED, SEQUENCES_IN_CI, sequences
from tests.executors.outcomes import Script

from auto_benchmark.flows import experiment_sweep, leaderboard_scrape, production_defense
from auto_benchmark.flows.all import FLOWS
from auto_benchmark.flows.reference import Conf, Result
from auto_benchmark.flows.step import Rule

pytestmark = [pytest.mark.airflow, pytest.mark.usefixtures("airflow_database")]


@pytest.fixture(autouse=True)
def quiet():
    """Drawn failures would fill the log."""
    logging.disable(logging.ERROR)
    yield
    logging.disable(logging.NOTSET)


@pytest.fixture(scope="module")
def compiled_flows(airflow_database):
    return {flow.name: AirflowSide(flow) for flow in FLOWS}


def test_forty_sequences_of_outcomes(compiled_flows):
    taken = 0
    for flow, seed in sequences(SEQUENCES_IN_CI):
        run_id = f"random_{seed}"
        there = compiled_flows[flow.name].play(Script(seed), run_id=run_id, conf={})
        here = inline_side.play(flow, Script(seed), run_id=run_id, conf={})
        assert there.difference(here) == "", f"{flow.name}, seed {seed}"
        taken += len(here.taken)
    assert taken > 10 * SEQUENCES_IN_CI, "the sequences come far enough to mean something"


def altered(flow, step_id, **changes):
    """The flow with one step changed."""
    steps = [replace(s, **changes) if s.id == step_id else s for s in flow.steps]
    return replace(flow, steps=tuple(steps))


def swapped(flow, first, second):
    """The flow with two steps declared the other way round."""
    steps = {step.id: step for step in flow.steps}
    order = {first: second, second: first}
    return replace(flow, steps=tuple(steps[order.get(step.id, step.id)] for step in flow.steps))


def arguments(flow, step_id, **changes):
    return altered(flow, step_id, arguments={**flow.step(step_id).arguments, **changes})


SWEEP, DEFENSE, SCRAPE = experiment_sweep.FLOW, production_defense.FLOW, leaderboard_scrape.FLOW
MUTANTS = {
    "a limit: experiments of one sweep": arguments(SWEEP, "next.next_experiment", limit=2),
    "a limit: tries of a step": altered(SWEEP, "claim", retries=0),
    "an end: what is paused goes on": arguments(
        SWEEP, "next.next_experiment", ends=("promote", "challenger", "waits_for_approval")
    ),
    "an end: what waits for approval goes on": arguments(
        SWEEP, "next.next_experiment", ends=("promote", "challenger", "paused")
    ),
    "an end: a decided round is followed by another": altered(SWEEP, "round_2.plan", skip_when=None),
    "an end: another look decides": altered(
        SWEEP, "round_3.plan", skip_when=Result("round_1.decide", "final", default=False)
    ),
    "an order: overdue before fresh": swapped(SWEEP, "check_freshness", "check_overdue"),
    "an order: what is waited for": altered(DEFENSE, "check_promises", after=["is_leading"]),
    "a rule: finish": altered(SWEEP, "finish", rule=Rule.ALL_SUCCESS),
    "a rule: submit": altered(SWEEP, "submit", rule=Rule.ALL_DONE),
    "a rule: landscape": altered(SCRAPE, "update_landscape", rule=Rule.ALL_SUCCESS),
    "a rule: notify": altered(SCRAPE, "notify", rule=Rule.ALL_SUCCESS),
    "a skip: nothing to search": altered(SWEEP, "search.needs_search", may_skip=False),
    "a reference: who claims": arguments(SWEEP, "claim", owner=Conf("owner", "somebody")),
    "a reference: whom an event woke": arguments(DEFENSE, "is_leading", woken=False),
    "a reference: which number": arguments(SWEEP, "next.start", experiment=Conf("experiment", 1)),
}
SEEDS = range(FIRST_SEED, FIRST_SEED + 300)


def telling_seed(flow, mutant, run_id):
    """A sequence in which the two flows go different ways, found by the inline executor, which is quick."""
    for seed in SEEDS:
        plain, changed = (inline_side.play(f, Script(seed), run_id=run_id, conf={}) for f in (flow, mutant))
        if plain.difference(changed):
            return seed
    raise AssertionError("no sequence tells the two flows apart")


@pytest.mark.parametrize("mutant", MUTANTS)
def test_what_is_altered_on_one_side_alone_shows(mutant, compiled_flows):
    altered_flow = MUTANTS[mutant]
    (flow,) = (flow for flow in FLOWS if flow.name == altered_flow.name)
    run_id = f"altered_{list(MUTANTS).index(mutant)}"
    seed = telling_seed(flow, altered_flow, run_id)
    there = compiled_flows[flow.name].play(Script(seed), run_id=run_id, conf={})
    assert there.difference(inline_side.play(altered_flow, Script(seed), run_id=run_id, conf={})) != ""
    assert there.difference(inline_side.play(flow, Script(seed), run_id=run_id, conf={})) == ""


def test_what_is_altered_in_the_compiled_dag_alone_shows_too():
    mutant = MUTANTS["a rule: finish"]
    seed = telling_seed(SWEEP, mutant, "compiled")
    there = AirflowSide(mutant).play(Script(seed), run_id="compiled", conf={})
    assert there.difference(inline_side.play(SWEEP, Script(seed), run_id="compiled", conf={})) != ""


def test_asking_airflow_about_every_task_each_time_changes_nothing(compiled_flows):
    for number, flow in enumerate((SWEEP, DEFENSE, SCRAPE)):
        side, seed = compiled_flows[flow.name], 5
        some = side.play(Script(seed), run_id=f"same_{number}", conf={})
        every = AirflowSide(flow).play(Script(seed), run_id=f"same_{number}", conf={}, asks_about_all=True)
        assert some.difference(every) == ""
