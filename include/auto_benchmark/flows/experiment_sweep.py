"""``experiment_sweep``: the best hypothesis against production, daily."""

from __future__ import annotations

from auto_benchmark.experiments import steps
from auto_benchmark.flows import sweep
from auto_benchmark.flows.flow import Flow
from auto_benchmark.flows.step import Step
from auto_benchmark.project.steps import reconcile
from auto_benchmark.telling.steps import check_overdue

POOL = "trial_slots"
FLOW = Flow(
    name="experiment_sweep",
    about="Run the best hypothesis against production, and promote it if the statistics carry it.",
    limit=sweep.LIMIT,
    groups=sweep.ROUNDS,
    steps=(
        Step(id="reconcile", run=reconcile, migrates=True),
        Step(id="check_freshness", run=steps.check_freshness, after=["reconcile"]),
        Step(id="check_overdue", run=check_overdue, after=["reconcile"]),
        *sweep.Sweep(POOL, weight=1, queue="normal").body("check_freshness"),
    ),
)
