"""What the steps of a run give: drawn from a seed, the same for both executors, whatever the order they ask in.

A step gives one of the values that it can give (an empty plan, nothing to claim, each verdict and outcome, a person's
late approval), or it fails: for good, until its second or third try, at a mistake in a user's file, or because its
worker died after the work was done, so that it runs twice and may find a changed world.
"""

import json
import random
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from functools import wraps
from typing import Any

from auto_benchmark.errors import InputError
from auto_benchmark.experiments.steps import next_experiment
from auto_benchmark.experiments.sweep import goes_on
from auto_benchmark.flows.flow import Flow
from auto_benchmark.flows.step import Step

OUTCOMES = (
    "promote", "challenger", "reject", "futile", "undecided", "failed_validation", "no_variance", "insufficient_data",
    "waits_for_approval", "paused",
)  # fmt: skip
MOMENT = datetime(2026, 3, 2, 6, 30, tzinfo=UTC)
FAULT_RATES = (0.0, 0.0, 0.01, 0.03, 0.1)
"""One of them holds for a whole sequence: most sequences come far, and some go wrong in several places."""


class WorkerDied(Exception):  # noqa: N818 - the end of a process, not an error of the code
    """The process ended while, or right after, it ran a step."""


def _ids(draw: random.Random) -> list[int]:
    return draw.sample(range(1000), draw.choice((0, 1, 1, 2, 3)))


def _decision(draw: random.Random) -> dict[str, Any]:
    return {"verdict": "drawn", "final": draw.random() < 0.4}


def _answer(draw: random.Random) -> dict[str, Any] | None:
    return {"events": ["e"], "hypothesis_id": None, "trial_ids": _ids(draw)} if draw.random() < 0.8 else None


def _submitted(draw: random.Random) -> list[dict[str, Any]]:
    """What is handed in; where a person approves late, that is more than the experiment promised."""
    states = draw.choices(("accepted", "refused", "postponed"), k=draw.choice((0, 0, 1, 2)))
    return [
        {"board": f"B{n}", "state": state, "score": draw.random(), "reason": ""} for n, state in enumerate(states)
    ]


GIVEN: dict[str, Callable[[random.Random], Any]] = {
    "needs_search": lambda draw: draw.random() < 0.4,
    "plan_search": _ids,
    "claim": lambda draw: draw.choice((None, "H-001", "H-002", "H-003", "H-004", "H-005")),
    "plan_validation": _ids,
    "validate": lambda draw: draw.random() < 0.8,
    "plan_round": _ids,
    "decide": _decision,
    "plan_confirmation": _ids,
    "finish": lambda draw: {"outcome": draw.choice(OUTCOMES), "decision_id": draw.randrange(99)},
    "submit": _submitted,
    "claim_and_plan": _answer,
    "board_names": lambda draw: [f"B{n}" for n in range(draw.choice((0, 1, 2, 4)))],
    "update_landscape": lambda draw: {
        "triggers": draw.choice(([], ["research_ingest"], ["maintenance_sweep", "preemptive_hypotheses"])),
        "unclaimed_rank_drops": 0,
    },
    "check_freshness": lambda draw: {"stale": []} if draw.random() < 0.9 else None,
    "propose": lambda draw: {"hypothesis_id": "H-006"} if draw.random() < 0.3 else None,
    "is_leading": lambda draw: draw.random() < 0.7,
    "plan_defense": _ids,
    "detect": lambda draw: draw.choice(([], ["accuracy"], ["accuracy", "wall_s"])),
    "confirm_alarms": lambda draw: draw.choice(([], [{"metric": "accuracy"}])),
    "plan_comparison": _ids,
    "fetch_papers": lambda draw: (
        {"new": draw.randrange(5), "updated": 0, "sources": {}} if draw.random() < 0.8 else None
    ),
}
"""Function -> what it can give; any other gives a small document."""
REAL = {"handed_in", "start_next"}
"""Functions that decide from their arguments alone: they are not replaced."""


@dataclass(frozen=True)
class Call:
    """One call of a step's function."""

    run_id: str
    step: str
    element: Any
    arguments: str


@dataclass
class Script:
    """Draws what steps give, and keeps what was called.

    Attributes:
        seed: of the sequence.
        run_id: of the run under way.
        moment: when every run is due.
        calls: in order; of a mapped step's element, the first one alone, since an executor may give all of its
            elements to one function.
    """

    seed: int
    run_id: str = ""
    moment: datetime = MOMENT
    calls: list[Call] = field(default_factory=list)
    tries: dict[tuple[str, str, str], int] = field(default_factory=dict)

    @property
    def is_woken(self) -> bool:
        """Whether an event starts the first run."""
        return random.Random(f"{self.seed}/woken").random() < 0.4

    def played(self, flow: Flow) -> Flow:
        """The same flow with functions that give what is drawn."""
        return replace(flow, steps=tuple(self.step(step) for step in flow.steps))

    def step(self, step: Step) -> Step:
        """A step with functions that give what is drawn."""
        if step.run.__name__ in REAL:
            return step

        @wraps(step.run)
        def one(ctx: Any, **arguments: Any) -> Any:
            element = arguments.pop(step.over.name) if step.over else None
            return self._give(step, element, arguments)

        if step.over is None or step.together is None:
            return replace(step, run=one)
        name = step.over.name

        def all_of_them(ctx: Any, elements: Sequence[Any]) -> list[Any]:
            """Side by side, as the real one runs them: one element's failure stops no other."""
            given, failed = [], []
            for element in elements:
                try:
                    given.append(one(ctx, **{name: element}))
                except Exception as error:
                    failed.append(error)
            if failed:
                raise failed[0]
            return given

        return replace(step, run=one, together=all_of_them)

    def _give(self, step: Step, element: Any, arguments: dict[str, Any]) -> Any:
        key = (self.run_id, step.id, json.dumps(element))
        attempt = self.tries[key] = self.tries.get(key, 0) + 1
        if element is None or attempt == 1:
            told = json.dumps(arguments, sort_keys=True)
            self.calls.append(Call(self.run_id, step.id, element, told))
        draw = random.Random(f"{self.seed}/{'/'.join(key)}")
        fault = self._fault(draw, step)
        if attempt <= fault[0]:
            raise fault[1]
        return self._value(draw, step, arguments)

    def _fault(self, draw: random.Random, step: Step) -> tuple[int, Exception]:
        """How many tries fail, and how."""
        rate = FAULT_RATES[random.Random(self.seed).randrange(len(FAULT_RATES))]
        if draw.random() >= rate:
            return 0, WorkerDied()
        return draw.choice(
            (
                (1, WorkerDied("killed")),
                (draw.randint(1, step.retries), RuntimeError("the database was away")),
                (step.retries + 1, RuntimeError("a fault of ours")),
                (step.retries + 1, InputError("registry.yaml:1: name: missing")),
            )
        )

    def _value(self, draw: random.Random, step: Step, arguments: dict[str, Any]) -> Any:
        name = step.run.__name__
        if name == next_experiment.__name__:
            return goes_on(**arguments) and draw.random() < 0.9
        return GIVEN.get(name, lambda _: {"drawn": draw.randrange(9)})(draw)
