"""``report_digest``: the week's digest, the technical log, the changelog."""

from __future__ import annotations

from datetime import timedelta

from auto_benchmark.flows.flow import Flow
from auto_benchmark.flows.reference import Day
from auto_benchmark.flows.step import Rule, Step
from auto_benchmark.ideas.steps import reconcile
from auto_benchmark.telling import steps

REPORTED = Day(back=1)
"""The scheduled run on Monday reports the week that ended the day before; a run by hand reports the present one."""
FLOW = Flow(
    name="report_digest",
    about="Write the week's digest, the technical log and the changelog.",
    limit=timedelta(hours=1),
    steps=(
        Step(id="reconcile", run=reconcile, migrates=True),
        Step(id="write_digest", run=steps.write_digest, after=["reconcile"], arguments={"day": REPORTED}),
        Step(id="write_logs", run=steps.write_logs, after=["write_digest"], publishes=True),
        Step(id="check_overdue", run=steps.check_overdue, after=["write_digest"]),
        Step(id="notify", run=steps.notify, after=["write_logs", "check_overdue"], rule=Rule.TEARDOWN),
    ),
)
