"""``research_ingest``: papers in, hypotheses out; weekly, or when we fell further behind."""

from __future__ import annotations

from datetime import timedelta

from auto_benchmark.flows.agent import propose_step
from auto_benchmark.flows.experiment_sweep import POOL
from auto_benchmark.flows.flow import GAP_WIDENED, Flow, Starts
from auto_benchmark.flows.reference import ANSWERING
from auto_benchmark.flows.step import Rule, Step
from auto_benchmark.ideas.steps import reconcile
from auto_benchmark.papers import steps
from auto_benchmark.telling.steps import notify

FLOW = Flow(
    name="research_ingest",
    about="Read the research feed and turn papers into ranked hypotheses.",
    limit=timedelta(hours=12),
    starts=Starts.EITHER,
    event=GAP_WIDENED,
    steps=(
        Step(id="reconcile", run=reconcile, migrates=True),
        Step(
            id="fetch_papers", run=steps.fetch_papers, after=["reconcile"], limit=timedelta(hours=2), may_skip=True,
            arguments=ANSWERING,
        ),
        Step(id="screen_relevance", run=steps.screen_relevance, after=["fetch_papers"]),
        Step(id="extract_techniques", run=steps.extract_techniques, after=["screen_relevance"]),
        Step(id="assess_applicability", run=steps.assess_applicability, after=["extract_techniques"]),
        Step(id="write_research_log", run=steps.write_research_log, after=["assess_applicability"]),
        Step(id="generate_hypotheses", run=steps.generate_hypotheses, after=["write_research_log"]),
        propose_step("generate_hypotheses", POOL),
        Step(id="notify", run=notify, after=["propose"], rule=Rule.TEARDOWN),
    ),
)  # fmt: skip
