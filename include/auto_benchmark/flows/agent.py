"""The step in which the project's agent works on the code, as the flows that have it share it."""

from __future__ import annotations

from datetime import timedelta

from auto_benchmark.flows.step import Step
from auto_benchmark.proposals.steps import propose

LIMIT = timedelta(hours=6)
"""Of the step; what an agent may take is its own budget in ``schedule.yaml``."""


def propose_step(after: str, pool: str, number: object = 1) -> Step:
    """Skipped where no agent is declared or nothing came of its work.

    Args:
        after: id of the step before.
        pool: slots of the trials that it runs.
        number: of the experiment in its sweep; the agent works at the first.
    """
    return Step(
        id="propose", run=propose, after=[after], may_skip=True, limit=LIMIT, pool=pool, weight=1,
        arguments={"number": number}, retries=1,
    )  # fmt: skip
