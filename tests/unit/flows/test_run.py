"""The inline executor: retries, what follows from a failure, mapped steps, and which copy of a rule has won."""

from dataclasses import replace
from datetime import UTC, datetime, timedelta
from functools import wraps
from threading import Barrier
from types import SimpleNamespace

import pytest

from auto_benchmark.errors import InputError
from auto_benchmark.experiments.sweep import goes_on
from auto_benchmark.flows import experiment_sweep, leaderboard_scrape
from auto_benchmark.flows.flow import Flow
from auto_benchmark.flows.run import run_flow
from auto_benchmark.flows.step import Over, Rule, Step


class Fails:
    """A step that fails so often, then gives a value."""

    def __init__(self, *errors, value=None):
        self.errors, self.value, self.calls = list(errors), value, 0

    def __call__(self, **arguments):
        self.calls += 1
        if self.errors:
            raise self.errors.pop(0)
        return self.value


@pytest.fixture
def world():
    said = []
    config = SimpleNamespace(schedule=SimpleNamespace(timezone="UTC"))
    return SimpleNamespace(now=lambda: datetime(2026, 3, 2, tzinfo=UTC), say=said.append, said=said, config=config)


def giving(flow, **by_step):
    """The flow whose functions give these values, or call them; any other gives an empty document."""

    def played(step):
        what = by_step.get(step.id.replace(".", "_"), {})

        @wraps(step.run)
        def run(ctx, **arguments):
            return what(**arguments) if callable(what) else what

        together = None if step.together is None else (lambda ctx, elements: [run(ctx) for _ in elements])
        return replace(step, run=run, together=together)

    return replace(flow, steps=tuple(played(step) for step in flow.steps))


def nothing(ctx):
    """Takes nothing."""


def one(ctx, number):
    """Takes a number."""


SMALL = Flow(
    name="small",
    about="A test.",
    limit=timedelta(hours=1),
    steps=(
        Step(id="first", run=nothing),
        Step(id="second", run=nothing, after=["first"]),
        Step(id="beside", run=nothing, after=["first"]),
        Step(id="third", run=nothing, after=["second", "beside"], rule=Rule.NONE_FAILED),
        Step(id="end", run=nothing, after=["third"], rule=Rule.TEARDOWN),
    ),
)


def states(run):
    return {step: str(state) for step, state in run.states.items()}


def test_a_fault_is_tried_again_and_waited_for(world):
    slept = []
    (run,) = run_flow(
        world, giving(SMALL, second=Fails(OSError("away"), OSError("away"), value=7)), sleep=slept.append
    )
    assert slept == [10, 20] and run.results["second"] == 7 and not run.has_failed
    assert world.said == [
        "small: second failed (OSError('away')); trying again in 10 s",
        "small: second failed (OSError('away')); trying again in 20 s",
    ]


def test_after_the_last_try_what_can_run_has_run_and_the_fault_is_raised(world):
    broken, beside, end = Fails(*[OSError("away")] * 3), Fails(), Fails()
    with pytest.raises(OSError, match="away"):
        run_flow(world, giving(SMALL, second=broken, beside=beside, end=end), sleep=lambda _: None)
    assert (broken.calls, beside.calls, end.calls) == (3, 1, 1)
    assert world.said[-1] == "small: second failed: away"


def test_a_mistake_in_a_file_is_told_at_once(world):
    wrong = Fails(InputError("registry.yaml:1: name: missing"))
    with pytest.raises(InputError, match=r"registry\.yaml:1"):
        run_flow(world, giving(SMALL, first=wrong), sleep=lambda _: pytest.fail("nothing is waited for"))
    assert wrong.calls == 1


def test_a_teardown_that_fails_fails_nothing(world):
    (run,) = run_flow(world, giving(SMALL, end=Fails(*[OSError("slack")] * 3)), sleep=lambda _: None)
    assert states(run)["end"] == "failed" and not run.has_failed
    assert world.said[-1] == "small: end failed: slack"


def test_one_element_s_failure_stops_no_other(world):
    """Airflow maps them to tasks of their own; the pool of threads must not cancel what it has not begun."""
    mapped = replace(
        SMALL,
        steps=(
            Step(id="plan", run=nothing),
            Step(id="each", run=one, over=Over("plan", "number"), parallel=2),
            Step(id="after", run=nothing, after=["each"], rule=Rule.ALL_DONE),
        ),
    )
    seen, after = [], Fails()

    def each(number):
        seen.append(number)
        if number == 0:
            raise OSError("zero")

    with pytest.raises(OSError, match="zero"):
        run_flow(world, giving(mapped, plan=[0, 1, 2, 3], each=each, after=after), sleep=lambda _: None)
    assert sorted(seen) == [0, 0, 0, 1, 2, 3] and after.calls == 1


def test_boards_are_read_side_by_side(world):
    together = Barrier(4, timeout=30)
    (run,) = run_flow(
        world,
        giving(leaderboard_scrape.FLOW, board_names=list("abcd"), scrape_board=lambda board_name: together.wait()),
        conf={"cycle": None},
    )
    assert sorted(run.results["scrape_board"]) == [0, 1, 2, 3]


def test_no_elements_skip_the_step_and_not_what_runs_in_any_case(world):
    (run,) = run_flow(world, giving(leaderboard_scrape.FLOW, board_names=[]))
    assert states(run)["scrape_board"] == "skipped" and states(run)["update_landscape"] == "success"


def test_what_the_flow_does_not_name_may_be_given(world):
    def asking(ctx, web=None):
        return web

    flow = replace(SMALL, steps=(Step(id="first", run=asking), Step(id="second", run=nothing)))
    (run,) = run_flow(world, flow, given={"web": "a client"})
    assert run.results["first"] == "a client"


def swept(world, *outcomes):
    """How many experiments a sweep runs that end like this, while the queue is never empty."""
    left = list(outcomes)
    flow = giving(
        experiment_sweep.FLOW,
        check_freshness={"stale": []},
        propose=None,
        needs_search=False,
        claim="H-001",
        validation_plan=[],
        validation_validate=False,
        finish=lambda **_: {"outcome": left.pop(0)},
        submit=[],
        board_shows_score=[],
        next_next_experiment=goes_on,
    )
    runs = run_flow(world, flow, run_id="cli")
    assert [run.run_id for run in runs] == ["cli", "cli__next", "cli__next__next"][: len(runs)]
    assert all(run.conf.get("owner", "cli") == "cli" for run in runs)
    return len(runs)


def test_a_sweep_runs_up_to_three_experiments(world):
    """The command line stopped after two; three is what the schedule has always run."""
    assert swept(world, "reject", "futile", "failed_validation", "reject") == 3


@pytest.mark.parametrize("outcome", ["promote", "challenger", "waits_for_approval", "paused"])
def test_an_outcome_that_ends_a_sweep_ends_it(world, outcome):
    """Airflow went on after a pause and while a person was asked, on a base that was about to change."""
    assert swept(world, "reject", outcome, "reject") == 2
