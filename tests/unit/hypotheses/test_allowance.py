"""Budgets and switches as rules."""

import pytest

from auto_benchmark.hypotheses.allowance import Used, refusal
from auto_benchmark.hypotheses.hypothesis import Urgency
from auto_benchmark.registry.schedule import ScheduleFile

SCHEDULE = ScheduleFile.model_validate({"budget": {"trials": 10, "hours": 2, "money": 5}})


@pytest.mark.parametrize(
    ("used", "normal", "low"),
    [
        (Used(0, 0, 0), None, None),
        (Used(4, 0.9, 2.4), None, None),
        (Used(5, 0, 0), None, "half of the day's budget of 10 trials is spent"),
        (Used(10, 0, 0), "the day's budget of 10 trials is spent", "half of the day's budget of 10 trials is spent"),
        (Used(0, 2.1, 0), "the day's budget of 2 hours is spent", "half of the day's budget of 2 hours is spent"),
        (Used(0, 0, 5), "the day's budget of 5 money is spent", "half of the day's budget of 5 money is spent"),
    ],
)
def test_each_budget_is_a_limit_and_low_urgency_stops_at_half(used, normal, low):
    assert refusal(SCHEDULE, used) == normal
    assert refusal(SCHEDULE, used, urgency=Urgency.LOW) == low


def test_free_trials_need_no_money_and_the_switch_stops_everything():
    free = ScheduleFile.model_validate({"budget": {"money": 0.0}})
    assert refusal(free, Used(1, 0.1, 0.0)) is None
    assert refusal(free, Used(1, 0.1, 0.01)) == "the day's budget of 0 money is spent"
    off = ScheduleFile.model_validate({"automation": {"experiments": "off"}})
    assert refusal(off, Used(0, 0, 0), urgency=Urgency.URGENT) == "automation.experiments is off"
