"""A flow: what a DAG does, declared once, as data that two executors read.

``auto_benchmark_airflow`` compiles it to an Airflow DAG; :mod:`auto_benchmark.flows.run` runs it inline.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import timedelta
from enum import StrEnum

from auto_benchmark.flows.step import FlowError, Over, Rule, Step, StepKind

GAP_WIDENED, RANK_DROP = "gap_widened", "rank_drop"
"""Events: we fell further behind #1; a competitor passed us."""
BOARD_WON, CLOSE_ENTRANT = "board_won", "close_entrant"
"""Events: a board's victory condition is fulfilled; a new competitor is close to our score."""
BOARD_SATURATED = "board_saturated"
"""Event: a board has nothing left to win, and a benchmark is to be built that follows it."""


class Starts(StrEnum):
    """What starts a flow besides a person."""

    SCHEDULE = "schedule"
    """The cron expression under the flow's name in ``schedule.yaml``."""
    EVENT = "event"
    EITHER = "either"
    HAND = "hand"


@dataclass(frozen=True, eq=False, repr=False)
class Parameter:
    """A text that a person may give at the start; one whose default is None may stay empty."""

    name: str
    default: str | None
    description: str


@dataclass(frozen=True, eq=False, repr=False, kw_only=True)
class Flow:
    """The steps of one DAG and what holds between them.

    Attributes:
        name: of the DAG.
        about: one line for people.
        steps: in an order in which they could run; among steps that are ready, the inline executor takes the first.
        limit: longest time of one run under Airflow.
        starts: what starts it.
        event: the event that does, where one does.
        parameters: what a person may give at the start.
        groups: group -> what Airflow shows beside its name.

    Raises:
        FlowError: names the step and what is wrong with it.
    """

    name: str
    about: str
    steps: Sequence[Step]
    limit: timedelta
    starts: Starts = Starts.SCHEDULE
    event: str | None = None
    parameters: Sequence[Parameter] = ()
    groups: Mapping[str, str] = field(default_factory=dict)

    def __post_init__(self) -> None:
        """Check the whole declaration, so that neither executor meets a contradiction."""
        if (self.event is None) is (self.starts in {Starts.EVENT, Starts.EITHER}):
            raise FlowError(f"{self.name}: an event belongs to a flow that one starts, and to no other")
        before: dict[str, Step] = {}
        ancestors: dict[str, set[str]] = {}
        for step in self.steps:
            if step.id in before:
                raise FlowError(f"{self.name}: two steps are called {step.id}")
            for other in step.upstream:
                if other not in before:
                    raise FlowError(f"{self.name}: {step.id} waits for {other}, which is not declared before it")
                if before[other].rule is Rule.TEARDOWN:
                    raise FlowError(f"{self.name}: {step.id} waits for {other}, after which nothing comes")
            ancestors[step.id] = {*step.upstream, *(a for other in step.upstream for a in ancestors[other])}
            for other in step.needs:
                if other not in ancestors[step.id]:
                    raise FlowError(f"{self.name}: {step.id} takes the result of {other}, which may come after it")
                if before[other].over is not None or self.over(other) is not None:
                    raise FlowError(f"{self.name}: {step.id} takes the result of {other}, which is made of elements")
            step.check()
            before[step.id] = step

    def step(self, step_id: str) -> Step:
        """One step. Raises KeyError."""
        for step in self.steps:
            if step.id == step_id:
                return step
        raise KeyError(step_id)

    def over(self, step_id: str) -> Over | None:
        """How a mapped step reads what ``step_id`` returns; None where no step does."""
        return next((s.over for s in self.steps if s.over is not None and s.over.step == step_id), None)

    @property
    def leaves(self) -> list[Step]:
        """The steps that decide how a run has ended: those that no other one waits for but a teardown."""
        followed = {other for step in self.steps if step.rule is not Rule.TEARDOWN for other in step.upstream}
        return [step for step in self.steps if step.id not in followed and step.rule is not Rule.TEARDOWN]

    @property
    def repeats(self) -> bool:
        """Whether a run may start the next."""
        return any(step.kind is StepKind.REPEAT for step in self.steps)


def next_run_id(run_id: str) -> str:
    """Name of the run that a run of a repeating flow starts."""
    return f"{run_id}__next"
