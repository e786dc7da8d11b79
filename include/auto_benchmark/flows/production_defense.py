"""``production_defense``: measure production again, confirm an alarm, compare, respond; daily, or when a board is won."""

from __future__ import annotations

from datetime import timedelta

from auto_benchmark.defense import steps
from auto_benchmark.flows.experiment_sweep import POOL
from auto_benchmark.flows.flow import BOARD_WON, Flow, Starts
from auto_benchmark.flows.reference import ANSWERING, Result
from auto_benchmark.flows.step import Rule, Step
from auto_benchmark.flows.sweep import trials
from auto_benchmark.ideas.steps import reconcile
from auto_benchmark.telling.steps import notify

ALARMS = {"alarms": Result("detect")}
REGRESSIONS = {"regressions": Result("confirm_alarms")}
FLOW = Flow(
    name="production_defense",
    about="While we are #1: measure production again, and act when it got worse.",
    limit=timedelta(hours=12),
    starts=Starts.EITHER,
    event=BOARD_WON,
    steps=(
        Step(id="reconcile", run=reconcile, migrates=True),
        Step(id="is_leading", run=steps.is_leading, after=["reconcile"], may_skip=True, arguments=ANSWERING),
        Step(id="measure.plan", run=steps.plan_defense, after=["is_leading"]),
        trials("measure.trial", "measure.plan", pool=POOL),
        Step(
            id="detect", run=steps.detect, after=["measure.plan", "measure.trial"], rule=Rule.NONE_FAILED,
            may_skip=True,
        ),
        Step(id="confirm.plan", run=steps.plan_confirmation, after=["detect"], arguments=ALARMS),
        trials("confirm.trial", "confirm.plan", pool=POOL),
        Step(
            id="confirm_alarms", run=steps.confirm_alarms, after=["detect", "confirm.plan", "confirm.trial"],
            arguments=ALARMS, rule=Rule.NONE_FAILED, may_skip=True,
        ),
        Step(id="compare.plan", run=steps.plan_comparison, after=["confirm_alarms"], arguments=REGRESSIONS),
        trials("compare.trial", "compare.plan", pool=POOL),
        Step(
            id="respond", run=steps.respond, after=["confirm_alarms", "compare.plan", "compare.trial"],
            arguments=REGRESSIONS, rule=Rule.NONE_FAILED, publishes=True,
        ),
        Step(
            id="watch_entrants", run=steps.watch_entrants, after=["measure.plan", "measure.trial"],
            rule=Rule.NONE_FAILED,
        ),
        Step(id="check_promises", run=steps.check_promises, after=["reconcile"], publishes=True),
        Step(id="notify", run=notify, after=["respond", "watch_entrants", "check_promises"], rule=Rule.TEARDOWN),
    ),
)  # fmt: skip
