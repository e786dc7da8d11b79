"""When a step runs, as Airflow's trigger rules say it."""

from __future__ import annotations

from collections.abc import Sequence
from enum import StrEnum

from auto_benchmark.flows.step import Rule


class StepState(StrEnum):
    """How a step has ended."""

    SUCCESS = "success"
    SKIPPED = "skipped"
    FAILED = "failed"
    UPSTREAM_FAILED = "upstream_failed"


class StepDecision(StrEnum):
    """What becomes of a step that has not run."""

    WAIT = "wait"
    RUN = "run"
    SKIP = "skip"
    GIVE_UP = "give_up"


BAD = {StepState.FAILED, StepState.UPSTREAM_FAILED}


def decision(rule: Rule, before: Sequence[StepState | None]) -> StepDecision:
    """What a rule makes of the steps before; None is one that has not ended.

    As in Airflow, a failure, and under ``ALL_SUCCESS`` a skipped step, decides at once, whatever is still to come.
    """
    ended = [state for state in before if state is not None]
    if rule in {Rule.ALL_DONE, Rule.TEARDOWN}:
        return StepDecision.RUN if len(ended) == len(before) else StepDecision.WAIT
    if BAD & {*ended}:
        return StepDecision.GIVE_UP
    if rule is Rule.ALL_SUCCESS and StepState.SKIPPED in ended:
        return StepDecision.SKIP
    if len(ended) < len(before):
        return StepDecision.WAIT
    if before and StepState.SUCCESS not in ended:
        return StepDecision.SKIP
    return StepDecision.RUN
