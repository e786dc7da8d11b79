"""One step of a flow, as data."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import timedelta
from enum import StrEnum
from typing import Any

from auto_benchmark.flows.reference import Reference, Result

RETRIES = 2
FIRST_DELAY, LONGEST_DELAY = timedelta(seconds=10), timedelta(minutes=5)
"""A step that failed is tried again after the first delay, which doubles with every further try up to the longest."""
LIMIT = timedelta(minutes=15)


class FlowError(ValueError):
    """A flow whose declaration contradicts itself."""


class Rule(StrEnum):
    """What has to be true of the steps before. The values are Airflow's names of its trigger rules."""

    ALL_SUCCESS = "all_success"
    NONE_FAILED = "none_failed_min_one_success"
    """None has failed and at least one did its work."""
    ALL_DONE = "all_done"
    TEARDOWN = "all_done_setup_success"
    """As ``ALL_DONE``, and its own failure never fails the run."""


class StepKind(StrEnum):
    """How the executors treat a step."""

    WORK = "work"
    TRIAL = "trial"
    """A planned trial: under Airflow a task of the operator that belongs to the place where trials run."""
    AWAIT = "await"
    """Returns what a board has to show. Airflow waits for that; the command line, which scrapes next, does not."""
    REPEAT = "repeat"
    """Starts the next run of the same flow; its arguments are what that run is started with."""


@dataclass(frozen=True, eq=False, repr=False)
class Over:
    """What a mapped step runs over: once per element of a list that an earlier step returned.

    Attributes:
        step: the earlier step.
        name: parameter that takes the element.
        of: key of the list in what the earlier step returned; None where that is the list.
    """

    step: str
    name: str
    of: str | None = None

    def elements(self, result: Any) -> list[Any]:
        """The elements in what the earlier step returned."""
        return list(result[self.of] if self.of is not None else result)


@dataclass(frozen=True, eq=False, repr=False, kw_only=True)
class Step:
    """One step.

    Attributes:
        id: name, unique in its flow; the part before a dot is the group in which Airflow shows it.
        run: function of a slice's ``steps.py``; its first parameter is the context.
        after: ids of the steps that it waits for.
        arguments: further keyword arguments, constants or references.
        rule: what has to be true of the steps before.
        kind: how it is run.
        over: makes it a mapped step.
        together: function that takes all elements of a mapped step at once, for an executor with one process.
        parallel: elements of a mapped step that run side by side at most.
        may_skip: an empty result means that there is nothing to do: the step counts as skipped.
        skip_when: skips the step before it is run, if it is true.
        limit: longest time of one try; of an ``AWAIT`` step, how long is waited. Airflow keeps it.
        retries: how often it is tried again after a fault of ours; a mistake in a user's file is never tried again.
        pool: slots that it takes one of under Airflow.
        weight: priority among all tasks that wait for a slot, as it is; None for Airflow's usual one.
        migrates: brings the project database to the newest schema first, where no start-up has done it.
        publishes: how the project stands goes to Airflow's metrics afterwards.
        announces: action -> event, for each action that the result's ``triggers`` may hold.
    """

    id: str
    run: Callable[..., Any]
    after: Sequence[str] = ()
    arguments: Mapping[str, Any] = field(default_factory=dict)
    rule: Rule = Rule.ALL_SUCCESS
    kind: StepKind = StepKind.WORK
    over: Over | None = None
    together: Callable[..., Any] | None = None
    parallel: int | None = None
    may_skip: bool = False
    skip_when: Reference | None = None
    limit: timedelta = LIMIT
    retries: int = RETRIES
    pool: str | None = None
    weight: int | None = None
    migrates: bool = False
    publishes: bool = False
    announces: Mapping[str, str] = field(default_factory=dict)

    @property
    def upstream(self) -> tuple[str, ...]:
        """Ids of all steps that it waits for."""
        mapped = () if self.over is None or self.over.step in self.after else (self.over.step,)
        return (*self.after, *mapped)

    @property
    def references(self) -> Iterator[Reference]:
        """All references in it."""
        waiting = [*self.arguments.values(), self.skip_when]
        while waiting:
            found = waiting.pop()
            if isinstance(found, Reference):
                yield found
                waiting += found.inner

    @property
    def needs(self) -> Iterator[str]:
        """Ids of the steps whose results it takes."""
        return (reference.step for reference in self.references if isinstance(reference, Result))

    def check(self) -> None:
        """Compare it with the function that it runs.

        Raises:
            FlowError: the function cannot be called so, or parts of the step contradict each other.
        """
        given = {*self.arguments, *([self.over.name] if self.over else [])}
        _check_call(self.id, self.run, given)
        if self.over is not None and (
            self.may_skip or self.arguments or self.kind not in {StepKind.WORK, StepKind.TRIAL}
        ):
            raise FlowError(f"{self.id}: a mapped step takes its element alone and cannot skip, wait or repeat")
        if self.over is None and (self.together or self.parallel or self.kind is StepKind.TRIAL):
            raise FlowError(f"{self.id}: only a mapped step runs trials or elements side by side")

    def __str__(self) -> str:
        return f"{self.id}: {self.run.__module__}.{self.run.__name__}"

    __repr__ = __str__


def retry_delay(attempt: int) -> timedelta:
    """How long is waited after the failed try number ``attempt``, counted from 1."""
    return min(FIRST_DELAY * (1 << (attempt - 1)), LONGEST_DELAY)


def _check_call(step: str, function: Callable[..., Any], given: set[str]) -> None:
    """As ``inspect.signature`` would say it, which takes a good part of the time that reading all flows takes."""
    plain = inspect.unwrap(function)
    code, defaults = plain.__code__, len(plain.__defaults__ or ())
    positional = code.co_varnames[1 : code.co_argcount]  # the first one is the context
    by_name = code.co_varnames[code.co_argcount : code.co_argcount + code.co_kwonlyargcount]
    required = {*positional[: len(positional) - defaults], *by_name} - {*(plain.__kwdefaults__ or {})}
    if surplus := given - {*positional, *by_name}:
        raise FlowError(f"{step}: {function.__name__} takes no argument {', '.join(sorted(surplus))}")
    if missing := required - given:
        raise FlowError(f"{step}: {function.__name__} needs the argument {', '.join(sorted(missing))}")
