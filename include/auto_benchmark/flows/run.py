"""Runs a flow inline, in this process, as the command line does, with the outcome that Airflow would give it.

Steps are taken one after the other, among those that are ready the one that is declared first. Rules, skipping,
retries and what follows from a failure are Airflow's. Limits of time and slots are not kept: a person is watching.
"""

from __future__ import annotations

import inspect
import logging
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from datetime import datetime
from functools import partial
from typing import Any
from zoneinfo import ZoneInfo

from auto_benchmark.errors import InputError
from auto_benchmark.flows.flow import Flow, next_run_id
from auto_benchmark.flows.reference import resolved
from auto_benchmark.flows.rules import BAD, StepDecision, StepState, decision
from auto_benchmark.flows.step import Rule, Step, StepKind, retry_delay
from auto_benchmark.parallel import side_by_side
from auto_benchmark.project.context import Context

log = logging.getLogger(__name__)
RUN_ID = "cli"
"""Name of every run of the command line: one that was killed finds its claims again."""


@dataclass
class FlowRun:
    """One run of a flow.

    Attributes:
        flow: what is run.
        run_id: name of the run.
        conf: what it was started with.
        params: the flow's parameters.
        moment: when it started, in the timezone of the project's schedule.
        states: step id -> how it ended, in the order in which the steps ended.
        results: step id -> what it returned; of a mapped step, one result per element.
        faults: what the failed steps raised, in order.
        next_conf: what the next run of the flow is to be started with; None when there is none.
        is_scheduled: False; a person runs it.
        is_woken: False; inline, every flow is run in turn, with or without an event.
    """

    flow: Flow
    run_id: str
    conf: Mapping[str, Any]
    params: Mapping[str, Any]
    moment: datetime
    states: dict[str, StepState] = field(default_factory=dict)
    results: dict[str, Any] = field(default_factory=dict)
    faults: list[Exception] = field(default_factory=list)
    next_conf: dict[str, Any] | None = None
    is_scheduled: bool = False
    is_woken: bool = False

    def result(self, step: str) -> Any:
        """What a step returned; None when it returned nothing, was skipped or failed."""
        return self.results.get(step)

    @property
    def has_failed(self) -> bool:
        """Whether the run counts as failed: one of its last steps failed or could not run."""
        return any(self.states[step.id] in BAD for step in self.flow.leaves)


def run_flow(
    ctx: Context,
    flow: Flow,
    *,
    run_id: str = RUN_ID,
    conf: Mapping[str, Any] | None = None,
    params: Mapping[str, Any] | None = None,
    given: Mapping[str, Any] | None = None,
    sleep: Callable[[float], None] = time.sleep,
) -> list[FlowRun]:
    """Run a flow to its end, and again as often as it starts itself.

    Args:
        ctx: the project.
        flow: what to run.
        run_id: name of the run.
        conf: what it is started with.
        params: of the flow, where they differ from their defaults.
        given: values for parameters of step functions that the flow does not name.
        sleep: waits before a step is tried again.

    Raises:
        InputError: a user's file is wrong; the steps that did not depend on it have run.
        Exception: what the first failed step raised, after everything that could still run.
    """
    declared = {p.name: p.default for p in flow.parameters}
    zone = ZoneInfo(ctx.config.schedule.timezone)
    runs: list[FlowRun] = []
    started: Mapping[str, Any] | None = conf or {}
    while started is not None:
        runs.append(FlowRun(flow, run_id, started, {**declared, **(params or {})}, ctx.now().astimezone(zone)))
        _Executor(ctx, runs[-1], given or {}, sleep).run()
        run_id, started = next_run_id(run_id), runs[-1].next_conf
    for fault in (fault for run in runs for fault in run.faults):
        raise fault
    return runs


class _Executor:
    """Takes the steps of one run."""

    def __init__(self, ctx: Context, run: FlowRun, given: Mapping[str, Any], sleep: Callable[[float], None]) -> None:
        self.ctx, self.run_, self.flow, self.given, self.sleep = ctx, run, run.flow, given, sleep

    def run(self) -> None:
        """Every step that can run."""
        while (step := self._settle()) is not None:
            self.run_.states[step.id] = self._take(step)

    def _settle(self) -> Step | None:
        """Note which steps will not run after what has happened; returns the first one that is ready."""
        ready = None
        for step in self.flow.steps:  # every step comes after those that it waits for, so that one pass is enough
            if step.id in self.run_.states:
                continue
            what = decision(step.rule, [self.run_.states.get(other) for other in step.upstream])
            if what is StepDecision.SKIP:
                self.run_.states[step.id] = StepState.SKIPPED
            elif what is StepDecision.GIVE_UP:
                self.run_.states[step.id] = StepState.UPSTREAM_FAILED
            elif what is StepDecision.RUN and ready is None:
                ready = step
        return ready

    def _take(self, step: Step) -> StepState:
        if step.skip_when is not None and step.skip_when.value(self.run_):
            return StepState.SKIPPED
        try:
            result = self._result(step)
        except Exception as error:
            if step.rule is Rule.TEARDOWN:
                log.exception("%s of %s failed", step.id, self.flow.name)
            else:
                self.run_.faults.append(error)
            self.ctx.say(f"{self.flow.name}: {step.id} failed: {error or type(error).__name__}")
            return StepState.FAILED
        if (step.may_skip or step.over is not None) and not result:
            return StepState.SKIPPED
        self.run_.results[step.id] = result
        return StepState.SUCCESS

    def _result(self, step: Step) -> Any:
        """The step's result, one per element for a mapped step. Raises what its last try raised."""
        if step.over is None:
            return self._tried(step, partial(self._once, step))
        elements = step.over.elements(self.run_.results[step.over.step])
        if not elements:
            return []
        if step.together is not None:
            return list(self._tried(step, partial(step.together, self.ctx, elements)))
        calls = [partial(step.run, self.ctx, **{step.over.name: element}) for element in elements]
        return side_by_side(
            [partial(self._tried, step, call) for call in calls], workers=step.parallel or 1, name=step.id
        )

    def _tried(self, step: Step, call: Callable[[], Any]) -> Any:
        """What ``call`` returns, after as many tries as the step has. Raises what the last one raised."""
        for attempt in range(1, step.retries + 2):
            try:
                return call()
            except InputError:
                raise
            except Exception as error:
                if attempt > step.retries:
                    raise
                wait = retry_delay(attempt).total_seconds()
                log.warning("%s of %s failed", step.id, self.flow.name, exc_info=True)
                self.ctx.say(f"{self.flow.name}: {step.id} failed ({error!r}); trying again in {wait:g} s")
                self.sleep(wait)
        raise AssertionError("a step is tried at least once")

    def _once(self, step: Step) -> Any:
        arguments = {name: resolved(value, self.run_) for name, value in step.arguments.items()}
        result = step.run(self.ctx, **arguments, **self._given(step.run))
        if step.kind is StepKind.REPEAT:
            self.run_.next_conf = arguments
        return result

    def _given(self, function: Callable[..., Any]) -> dict[str, Any]:
        if not self.given:
            return {}
        return {name: self.given[name] for name in inspect.signature(function).parameters if name in self.given}
