"""The urgent lane: what one fast seed may and may not do."""

from __future__ import annotations

from enum import StrEnum

from auto_benchmark.promotion.decision import Decision, Verdict
from auto_benchmark.stats.looks import PROMOTE_FROM


class UrgentAction(StrEnum):
    """What follows from the seeds so far."""

    STOP = "stop"
    START_CHALLENGER = "start_challenger"
    GO_ON = "go_on"
    CHANGE_PRODUCTION = "change_production"


def urgent_action(decision: Decision) -> UrgentAction:
    """One seed may stop a candidate for futility or start it as a provisional challenger, never change production.

    Below three seeds a candidate whose estimate reaches the threshold runs on as a challenger; what the gate says
    from three seeds on is done as in the normal lane.
    """
    if decision.verdict in {Verdict.FUTILE, Verdict.REJECT}:
        return UrgentAction.STOP
    if decision.n < PROMOTE_FROM:
        improved = any(row.name == "improvement" and row.passed for row in decision.criteria)
        return UrgentAction.START_CHALLENGER if improved else UrgentAction.GO_ON
    if decision.verdict is Verdict.PROMOTE:
        return UrgentAction.CHANGE_PRODUCTION
    return UrgentAction.START_CHALLENGER if decision.verdict is Verdict.CHALLENGER else UrgentAction.GO_ON
