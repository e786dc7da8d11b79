"""``benchmark_construction``: a request, started by hand, to a verified benchmark."""

from __future__ import annotations

from datetime import timedelta

from auto_benchmark.construction.steps import check, construct
from auto_benchmark.flows.experiment_sweep import POOL
from auto_benchmark.flows.flow import Flow, Parameter, Starts
from auto_benchmark.flows.reference import Param, Result
from auto_benchmark.flows.step import Step

LIMIT = timedelta(days=1)
FLOW = Flow(
    name="benchmark_construction",
    about="Build a verified benchmark from a request.",
    limit=LIMIT,
    starts=Starts.HAND,
    parameters=(
        Parameter("request", "request.yaml", "Request, in the project's configuration folder."),
        Parameter("out", "", "Folder below the project's constructions; the request's name when empty."),
    ),
    steps=(
        Step(
            id="construct", run=construct, arguments={"request": Param("request"), "out": Param("out")}, pool=POOL,
            limit=LIMIT,
        ),
        Step(id="check", run=check, after=["construct"], arguments={"folder": Result("construct", "folder")}),
    ),
)  # fmt: skip
