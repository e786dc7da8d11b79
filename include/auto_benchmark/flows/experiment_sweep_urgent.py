"""``experiment_sweep_urgent``: the answer to a rank drop; exactly two steps before a training process runs."""

from __future__ import annotations

from auto_benchmark.experiments import steps
from auto_benchmark.flows import sweep
from auto_benchmark.flows.flow import RANK_DROP, Flow, Starts
from auto_benchmark.flows.reference import OWNER, Conf

POOL = "trial_slots_urgent"
"""No normal sweep uses these slots."""
_SWEEP = sweep.SweepSteps(POOL, weight=100, queue="urgent", searched=1)
FLOW = Flow(
    name="experiment_sweep_urgent",
    about="Answer a rank drop at once: one seed of the best hypothesis, then the whole experiment.",
    starts=Starts.EVENT,
    event=RANK_DROP,
    limit=sweep.LIMIT,
    groups=sweep.ROUNDS,
    steps=(
        _SWEEP.step(
            id="claim_and_plan", run=steps.claim_and_plan, may_skip=True,
            arguments={"owner": OWNER, "asked_by": Conf("asked_by", "")},
        ),
        _SWEEP.trials("run_trial", "claim_and_plan", of="trial_ids"),
        *_SWEEP.body("claim_and_plan", "run_trial"),
    ),
)  # fmt: skip
