"""``benchmark_sweep``: a sweep spec, started by hand, to its report."""

from __future__ import annotations

from datetime import timedelta

from auto_benchmark.flows.experiment_sweep import POOL
from auto_benchmark.flows.flow import Flow, Parameter, Starts
from auto_benchmark.flows.reference import Param
from auto_benchmark.flows.step import Step
from auto_benchmark.sweeps.steps import run_sweep

LIMIT = timedelta(days=7)
FLOW = Flow(
    name="benchmark_sweep",
    about="Run a sweep spec, configurations x seeds x tasks, to its BENCHMARK_REPORT.md.",
    limit=LIMIT,
    starts=Starts.HAND,
    parameters=(
        Parameter("spec", "sweep.yaml", "Sweep spec, in the project's configuration folder."),
        Parameter("out", None, "Folder below the project's sweeps; the spec's name when empty."),
    ),
    steps=(
        Step(
            id="run_sweep", run=run_sweep, arguments={"spec": Param("spec"), "out": Param("out")}, pool=POOL,
            limit=LIMIT,
        ),
    ),
)  # fmt: skip
