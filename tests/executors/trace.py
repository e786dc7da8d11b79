"""What an executor did: which steps it took, in which order, with which arguments, and how each of them ended."""

from collections.abc import Iterable
from dataclasses import dataclass, field, replace
from itertools import groupby
from typing import Any

from tests.executors.outcomes import Call

from auto_benchmark.flows.flow import Flow

WORST_FIRST = ("failed", "upstream_failed", "success", "skipped")


@dataclass
class Trace:
    """What an executor did with one sequence.

    Attributes:
        taken: one ``(run, step, arguments, elements)`` per call, in order; the calls of a mapped step are one entry.
        ended: run -> step -> how it ended.
        failed: which runs count as failed.
        conf: run -> what it was started with.
    """

    taken: list[tuple[str, str, str, tuple[Any, ...]]] = field(default_factory=list)
    ended: dict[str, dict[str, str]] = field(default_factory=dict)
    failed: dict[str, bool] = field(default_factory=dict)
    conf: dict[str, dict[str, Any]] = field(default_factory=dict)

    def note(self, calls: list[Call]) -> None:
        """Keep the calls in order; elements of one mapped step that ran side by side have no order."""
        for (run, step, mapped), group in groupby(calls, key=lambda c: (c.run_id, c.step, c.element is not None)):
            if mapped:
                self.taken.append((run, step, "", tuple(sorted((c.element for c in group), key=str))))
            else:
                self.taken += [(run, step, call.arguments, ()) for call in group]

    def note_states(self, run: str, instances: Iterable[Any]) -> None:
        """Keep how Airflow's task instances of a run have ended; of a mapped step, the worst of them."""
        found: dict[str, set[str]] = {}
        for instance in instances:
            found.setdefault(instance.task_id, set()).add(str(instance.state))
        self.ended[run] = {task: next(s for s in WORST_FIRST if s in states) for task, states in found.items()}

    def unordered(self) -> "Trace":
        """The same without an order of calls; tries of one step keep theirs."""
        return replace(self, taken=sorted(self.taken, key=lambda entry: entry[:2]))

    def out_of_order(self, flow: Flow) -> str:
        """The first call that came before a step that it waits for was done with; empty when there is none."""
        for number, (run, step, _, _) in enumerate(self.taken):
            later = {s for r, s, _, _ in self.taken[number + 1 :] if r == run and s != step}
            if wrong := later & {*flow.step(step).upstream}:
                return f"{step} of {run} came before {', '.join(sorted(wrong))}"
        return ""

    def difference(self, other: "Trace") -> str:
        """Where two traces part; empty where they are the same."""
        for number, (mine, theirs) in enumerate(zip(self.taken, other.taken, strict=False)):
            if mine != theirs:
                return f"step {number}: {mine} and {theirs}"
        if len(self.taken) != len(other.taken):
            longer = max(self.taken, other.taken, key=len)
            return f"{len(self.taken)} steps and {len(other.taken)}, first {longer[min(len(self.taken), len(other.taken))]}"
        for name in ("conf", "failed", "ended"):
            if getattr(self, name) != getattr(other, name):
                return f"{name}: {getattr(self, name)} and {getattr(other, name)}"
        return ""
