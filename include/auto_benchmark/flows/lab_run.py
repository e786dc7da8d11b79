"""``lab_run``: an agent on laboratory tasks, started by hand, to LAB_REPORT.md."""

from __future__ import annotations

from datetime import timedelta

from auto_benchmark.flows.experiment_sweep import POOL
from auto_benchmark.flows.flow import Flow, Parameter, Starts
from auto_benchmark.flows.reference import Param
from auto_benchmark.flows.step import Over, Rule, Step
from auto_benchmark.lab.steps import plan_lab, report_lab, run_lab_task

LIMIT = timedelta(days=7)
RUN_LIMIT = timedelta(days=2)
PARALLEL = 2
PARAMETERS = (
    Parameter("tasks", "", "Names of tasks, separated by spaces; all when empty."),
    Parameter("agent", "evolve", "llm:CONN, command:PATH, replay:DIR, tune or evolve."),
    Parameter("attempts", "10", "Attempts of each run, at most."),
    Parameter("minutes", "60", "Wall clock of each run."),
    Parameter("repeats", "1", "Independent runs of each task, each with chance of its own."),
    Parameter("feedback", "true", "What attempts are told: true, none or sham."),
    Parameter("money", "", "For a language model: spent by each run at most; not bounded when empty."),
    Parameter("price", "0", "Of a language model: money per million tokens, which `money` needs."),
    Parameter(
        "out", "lab_run", "Folder below the project's lab folder; the same one with the same parameters goes on."
    ),
)
FLOW = Flow(
    name="lab_run",
    about="Let an agent work on laboratory tasks, each attempt verified on sealed inputs of its own.",
    limit=LIMIT,
    starts=Starts.HAND,
    parameters=PARAMETERS,
    steps=(
        Step(id="plan_lab", run=plan_lab, arguments={p.name: Param(p.name) for p in PARAMETERS}),
        Step(
            id="run_lab_task", run=run_lab_task, over=Over("plan_lab", "element"), parallel=PARALLEL, pool=POOL,
            limit=RUN_LIMIT,
        ),
        Step(
            id="report_lab", run=report_lab, after=["run_lab_task"], rule=Rule.ALL_DONE,
            arguments={"out": Param("out")},
        ),
    ),
)  # fmt: skip
