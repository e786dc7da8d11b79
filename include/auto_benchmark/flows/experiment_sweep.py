"""``experiment_sweep``: the best hypothesis against production; daily, or when an entrant comes close."""

from __future__ import annotations

from auto_benchmark.experiments import steps
from auto_benchmark.flows import sweep
from auto_benchmark.flows.agent import propose_step
from auto_benchmark.flows.flow import CLOSE_ENTRANT, Flow, Starts
from auto_benchmark.flows.reference import ANSWERING
from auto_benchmark.flows.step import Step
from auto_benchmark.ideas.steps import reconcile
from auto_benchmark.telling.steps import check_overdue

POOL = "trial_slots"
FLOW = Flow(
    name="experiment_sweep",
    about="Run the best hypothesis against production, and promote it if the statistics carry it.",
    limit=sweep.LIMIT,
    starts=Starts.EITHER,
    event=CLOSE_ENTRANT,
    groups=sweep.ROUNDS,
    steps=(
        Step(id="reconcile", run=reconcile, migrates=True),
        Step(
            id="check_freshness", run=steps.check_freshness, after=["reconcile"], may_skip=True, arguments=ANSWERING
        ),
        Step(id="check_overdue", run=check_overdue, after=["reconcile"]),
        Step(id="promote_within_reach", run=steps.promote_within_reach, after=["check_freshness"]),
        propose_step("promote_within_reach", POOL, sweep.NUMBER),
        *sweep.SweepSteps(POOL, weight=1, queue="normal").body("promote_within_reach", "propose"),
    ),
)  # fmt: skip
