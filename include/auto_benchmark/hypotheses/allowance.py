"""What the loop may spend and start now: the day's budget and the kill switches, as pure rules."""

from __future__ import annotations

from dataclasses import dataclass

from auto_benchmark.hypotheses.hypothesis import Urgency
from auto_benchmark.registry.schedule import Budget, Mode, ScheduleFile

LOW_PRIORITY_SHARE = 0.5
"""Low urgency runs only while less than this share of every budget is spent."""


@dataclass(frozen=True, slots=True)
class Used:
    """What the last 24 hours have used; a trial under way counts with the time it has run."""

    trials: int
    hours: float
    money: float


def refusal(schedule: ScheduleFile, used: Used, *, urgency: Urgency = Urgency.NORMAL) -> str | None:
    """Why no trial may start now; None when one may."""
    if schedule.automation.experiments is Mode.OFF:
        return "automation.experiments is off"
    return spent(schedule.budget, used, urgency=urgency)


def spent(budget: Budget, used: Used, *, urgency: Urgency = Urgency.NORMAL) -> str | None:
    """Which budget is spent; for low urgency already at half of it."""
    share = LOW_PRIORITY_SHARE if urgency is Urgency.LOW else 1.0
    for name, amount, limit in (
        ("trials", used.trials, budget.trials),
        ("hours", used.hours, budget.hours),
        ("money", used.money, budget.money),
    ):
        if amount >= limit * share and (limit > 0 or amount > 0):
            part = "half of the day's budget" if share < 1 else "the day's budget"
            return f"{part} of {limit:g} {name} is spent"
    return None
