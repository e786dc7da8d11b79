"""``benchmark_construction``: a request, started by hand or by a saturated board, to a verified benchmark."""

from __future__ import annotations

from datetime import timedelta

from auto_benchmark.construction.steps import adopt, check, choose, construct
from auto_benchmark.flows.experiment_sweep import POOL
from auto_benchmark.flows.flow import BOARD_SATURATED, Flow, Parameter, Starts
from auto_benchmark.flows.reference import ANSWERING, Param, Result
from auto_benchmark.flows.step import Rule, Step
from auto_benchmark.telling.steps import notify

LIMIT = timedelta(days=1)
FOLDER = Result("choose", "folder")
FLOW = Flow(
    name="benchmark_construction",
    about="Build a verified benchmark from a request.",
    limit=LIMIT,
    starts=Starts.EVENT,
    event=BOARD_SATURATED,
    parameters=(
        Parameter("request", "", "Request, in the project's configuration folder; empty for the saturated board's."),
        Parameter("out", "", "Folder below the project's constructions; the request's name when empty."),
    ),
    steps=(
        Step(
            id="choose", run=choose, may_skip=True,
            arguments={"request": Param("request"), "out": Param("out"), **ANSWERING},
        ),
        Step(
            id="construct", run=construct, after=["choose"], pool=POOL, limit=LIMIT,
            arguments={"request": Result("choose", "request"), "out": FOLDER},
        ),
        Step(id="check", run=check, after=["construct"], arguments={"folder": FOLDER}),
        Step(
            id="adopt", run=adopt, after=["check"], may_skip=True,
            arguments={"folder": FOLDER, "follows": Result("choose", "follows")},
        ),
        Step(id="notify", run=notify, after=["adopt"], rule=Rule.TEARDOWN),
    ),
)  # fmt: skip
