"""References: arguments of a step that are known only while its flow runs, as data.

Both executors hand a :class:`RunView` in, so a reference means the same under Airflow and on the command line, and its
value keeps its type. The classes are written out, because every parse of a DAG file pays for them.
"""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime, timedelta
from typing import Any, Protocol


class RunView(Protocol):
    """What a reference may ask the run for."""

    @property
    def run_id(self) -> str:
        """Name of the run."""

    @property
    def conf(self) -> Mapping[str, Any]:
        """What the run was started with."""

    @property
    def params(self) -> Mapping[str, Any]:
        """The flow's parameters, with their defaults."""

    @property
    def moment(self) -> datetime:
        """When the run was due, in the timezone of the project's schedule."""

    @property
    def is_scheduled(self) -> bool:
        """Whether the schedule started the run, rather than a person or an event."""

    @property
    def is_woken(self) -> bool:
        """Whether an event started the run."""

    def result(self, step: str) -> Any:
        """What a step returned; None when it returned nothing, was skipped or failed."""


class Reference:
    """An argument that the run knows."""

    @property
    def inner(self) -> tuple[Any, ...]:
        """What it is made of, references among it."""
        return ()

    def value(self, run: RunView) -> Any:
        """The argument's value in this run."""
        raise NotImplementedError


class Result(Reference):
    """What an earlier step returned, or one key of it; ``default`` where the step or the key gave None or nothing."""

    def __init__(self, step: str, key: str | None = None, default: Any = None) -> None:
        self.step, self.key, self.default = step, key, default

    def value(self, run: RunView) -> Any:
        """See the class."""
        found = run.result(self.step)
        if self.key is not None:
            found = (found or {}).get(self.key)
        return self.default if found is None else found

    def __str__(self) -> str:
        return f"<result of {self.step}{f'[{self.key}]' if self.key else ''}>"


class Conf(Reference):
    """A key of what the run was started with; ``default`` may be a reference."""

    def __init__(self, key: str, default: Any = None) -> None:
        self.key, self.default = key, default

    @property
    def inner(self) -> tuple[Any, ...]:
        """See the base."""
        return (self.default,)

    def value(self, run: RunView) -> Any:
        """See the class."""
        return run.conf[self.key] if self.key in run.conf else resolved(self.default, run)

    def __str__(self) -> str:
        return f"<conf[{self.key}], else {self.default}>"


class Param(Reference):
    """A parameter of the flow."""

    def __init__(self, name: str) -> None:
        self.name = name

    def value(self, run: RunView) -> Any:
        """See the class."""
        return run.params[self.name]

    def __str__(self) -> str:
        return f"<parameter {self.name}>"


class RunId(Reference):
    """Name of the run."""

    def value(self, run: RunView) -> str:
        """See the class."""
        return run.run_id

    def __str__(self) -> str:
        return "<run id>"


class Woken(Reference):
    """Whether an event started the run, rather than the schedule or a person."""

    def value(self, run: RunView) -> bool:
        """See the class."""
        return run.is_woken

    def __str__(self) -> str:
        return "<whether an event started the run>"


OWNER = Conf("owner", RunId())
"""Who claims: the run, or the run that it goes on from."""
ANSWERING: Mapping[str, Reference] = {"owner": OWNER, "woken": Woken()}
"""Arguments of the step with which a run answers the event that its flow waits for."""


class Day(Reference):
    """The day (ISO) on which the run was due; ``back`` days earlier in a scheduled run.

    It is the schedule's day, in its timezone: a daily run in the evening has a day of its own on both sides of a clock
    change, which it has not in UTC.
    """

    def __init__(self, back: int = 0) -> None:
        self.back = back

    def value(self, run: RunView) -> str:
        """See the class."""
        day = run.moment.date() - timedelta(days=self.back if run.is_scheduled else 0)
        return day.isoformat()

    def __str__(self) -> str:
        return f"<day of the run{f', {self.back} earlier when scheduled' if self.back else ''}>"


class Plus(Reference):
    """The value of a reference, as a whole number, plus ``added``."""

    def __init__(self, of: Reference, added: int) -> None:
        self.of, self.added = of, added

    @property
    def inner(self) -> tuple[Any, ...]:
        """See the base."""
        return (self.of,)

    def value(self, run: RunView) -> int:
        """See the class."""
        return int(self.of.value(run)) + self.added

    def __str__(self) -> str:
        return f"<{self.of} + {self.added}>"


def resolved(value: Any, run: RunView) -> Any:
    """``value``, or what it stands for if it is a reference."""
    return value.value(run) if isinstance(value, Reference) else value
