"""What a flow's declaration may not say, and what every flow promises."""

from datetime import UTC, datetime, timedelta
from types import SimpleNamespace

import pytest

from auto_benchmark.flows.all import FLOWS
from auto_benchmark.flows.flow import RANK_DROP, Flow, Starts
from auto_benchmark.flows.reference import Conf, Day, Param, Plus, Result, RunId
from auto_benchmark.flows.step import FlowError, Over, Rule, Step, StepKind, retry_delay


def nothing(ctx):
    """Takes no argument."""


def listed(ctx):
    """A list."""
    return [1, 2]


def one(ctx, number, word="x"):
    """Takes a number."""


def flow(*steps, **more):
    return Flow(name="f", about="A test.", limit=timedelta(hours=1), steps=steps, **more)


FAULTY = {
    "two steps are called a": lambda: flow(Step(id="a", run=nothing), Step(id="a", run=nothing)),
    "a waits for b, which is not declared before it": lambda: flow(
        Step(id="a", run=nothing, after=["b"]), Step(id="b", run=nothing, after=["a"])
    ),
    "b waits for a, after which nothing comes": lambda: flow(
        Step(id="a", run=nothing, rule=Rule.TEARDOWN), Step(id="b", run=nothing, after=["a"])
    ),
    "one takes no argument size": lambda: flow(Step(id="a", run=one, arguments={"number": 1, "size": 2})),
    "one needs the argument number": lambda: flow(Step(id="a", run=one)),
    "b takes the result of a, which may come after it": lambda: flow(
        Step(id="a", run=nothing), Step(id="b", run=one, arguments={"number": Result("a")})
    ),
    "b takes the result of c, which may come after it": lambda: flow(
        Step(id="b", run=one, arguments={"number": Plus(Conf("n", Result("c")), 1)})
    ),
    "c takes the result of a, which is made of elements": lambda: flow(
        Step(id="a", run=listed), Step(id="b", run=one, over=Over("a", "number")),
        Step(id="c", run=one, after=["a"], arguments={"number": Result("a")}),
    ),
    "b: a mapped step takes its element alone": lambda: flow(
        Step(id="a", run=listed), Step(id="b", run=one, over=Over("a", "number"), arguments={"word": "y"})
    ),
    "a: only a mapped step runs trials": lambda: flow(Step(id="a", run=nothing, kind=StepKind.TRIAL)),
    "an event belongs to a flow": lambda: flow(Step(id="a", run=nothing), event=RANK_DROP),
    "an event belongs to a flow that one starts": lambda: flow(Step(id="a", run=nothing), starts=Starts.EVENT),
}  # fmt: skip


@pytest.mark.parametrize("said", FAULTY)
def test_a_contradiction_is_refused_where_it_is_declared(said):
    with pytest.raises(FlowError, match=said):
        FAULTY[said]()


def test_the_leaves_decide_and_a_teardown_is_none():
    made = flow(
        Step(id="a", run=nothing),
        Step(id="b", run=nothing, after=["a"]),
        Step(id="c", run=nothing, after=["a"]),
        Step(id="end", run=nothing, after=["b"], rule=Rule.TEARDOWN),
    )
    assert [step.id for step in made.leaves] == ["b", "c"]


def test_every_flow_tells_people_last_and_limits_its_steps():
    for each in FLOWS:
        tells = [step.id for step in each.steps if step.rule is Rule.TEARDOWN] == ["notify"]
        assert tells or each.name in {"benchmark_sweep", "lab_run", "benchmark_construction"}
        assert all(step.retries >= 1 and step.limit <= each.limit for step in each.steps), each.name


def test_a_reference_keeps_the_type_of_what_it_stands_for():
    run = SimpleNamespace(
        run_id="r", conf={"n": "2", "none": None}, params={"p": ""}, is_scheduled=True,
        moment=datetime(2026, 3, 2, 6, tzinfo=UTC), result={"a": {"final": False}, "b": [1]}.get,
    )  # fmt: skip
    assert Result("a", "final", default=True).value(run) is False
    assert Result("a", "missing", default="").value(run) == ""
    assert Result("absent").value(run) is None
    assert Result("b").value(run) == [1]
    assert Conf("owner", RunId()).value(run) == "r"
    assert Conf("none", RunId()).value(run) is None, "what was given counts, whatever it is"
    assert Plus(Conf("n", 1), 1).value(run) == 3
    assert Param("p").value(run) == ""
    assert (Day().value(run), Day(back=1).value(run)) == ("2026-03-02", "2026-03-01")
    run.is_scheduled = False
    assert Day(back=1).value(run) == "2026-03-02"


def test_the_wait_before_another_try_doubles_up_to_the_longest():
    assert [retry_delay(n).total_seconds() for n in (1, 2, 3, 4, 5, 6, 9)] == [10, 20, 40, 80, 160, 300, 300]
