"""Which guards a decision rests on: the solution's own, and in any case what a trial costs, measured from outside.

A trial can say anything about its own latency and memory. So a guard that asks for wall time, processor time or peak
memory, under whatever of their names, looks at the measured value; one on a metric that only the trial vouches for says
so in the decision; the measured costs are guarded whether or not anybody asked, with room for a better solution that
honestly costs more; and a candidate that the machine starved is passed only where all that it can have wanted of the
processors is within a wider limit.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Sequence

from auto_benchmark.contract.measured import (
    COSTS,
    CPU,
    CPU_AT_MOST,
    MEMORY,
    WALL,
    MetricSource,
    measured_as,
    source_of,
)
from auto_benchmark.promotion.schema import Observation
from auto_benchmark.registry.guard import Guard

COST_LIMITS = {
    WALL: Guard(name=WALL, within=3.0, absolute=1.0),
    CPU: Guard(name=CPU, within=2.0, absolute=0.5),
    MEMORY: Guard(name=MEMORY, within=1.0, absolute=64.0),
}
"""What a candidate may cost where nothing else is declared: four times production's time (trials side by side move it by
two), three times its processor time, twice its memory; or a second, half a second, 64 MiB more."""
STARVED = Guard(name=CPU_AT_MOST, within=9.0, absolute=2.0)
"""Room of the upper end of processor time. Trials side by side on a busy machine wait for several times what they get; who
gets less than a tenth of what it asks for, and waits for seconds, has no known cost."""
RESOLUTION = {WALL: 0.5, CPU: 0.2, MEMORY: 16.0}
"""Differences that the measurement itself makes: start of the interpreter, samples of memory."""
USUAL_MARGINS = {"latency": 0.10, "memory": 0.15, "cost": 0.10}
"""Metrics whose names begin so are guarded although no solution declares them; lower is better."""


class GateGuard(Guard):
    """A guard as a decision keeps it.

    Attributes:
        source: None in decisions from before it was asked for.
        against: production's metric to compare with, where it is another one: the candidate's value is then the upper end
            of what is known, and beyond the limit nothing is known.
    """

    source: MetricSource | None = None
    against: str | None = None


def gate_guards(
    declared: Sequence[Guard],
    metric: str,
    candidate: Sequence[Observation],
    control: Sequence[Observation],
    *,
    scored: Collection[str] | None = None,
) -> list[GateGuard]:
    """Every guard of a decision about ``metric``.

    Args:
        declared: by the solution.
        metric: the primary one, which does not guard itself.
        candidate: its trials.
        control: production's.
        scored: metrics that the scorer gives; None where their origin is unknown.
    """
    known = _measured_on(candidate, control)
    found: dict[str, GateGuard] = {}
    for guard in declared:
        if guard.name != metric:
            resolved = _resolved(guard, known, scored)
            found.setdefault(resolved.name, resolved)
    asked_for = _outside(found.values())
    for name in COSTS:
        if name in known and name != metric:
            found.setdefault(name, _as(COST_LIMITS[name], name, MetricSource.MEASURED))
    if CPU in found and candidate and all(CPU_AT_MOST in t.metrics for t in candidate):
        found[CPU_AT_MOST] = _if_it_had_not_waited(found[CPU])
    for guard in _usual(candidate, control, {metric, *found}, asked_for):
        found[guard.name] = _as(guard, guard.name, _source(guard.name, scored))
    return list(found.values())


def usual_guards(
    candidate: Sequence[Observation], control: Sequence[Observation], guards: Sequence[Guard], metric: str
) -> list[Guard]:
    """The given guards, and the usual ones for whatever latency, memory and cost both sides report."""
    given = [guard for guard in guards if guard.name != metric]
    return [*given, *_usual(candidate, control, {metric, *(guard.name for guard in given)}, _outside(given))]


def _measured_on(candidate: Sequence[Observation], control: Sequence[Observation]) -> set[str]:
    """Costs that are known of every trial of the candidate and of some of production's."""
    return {
        name
        for name in COSTS
        if candidate and all(name in t.metrics for t in candidate) and any(name in t.metrics for t in control)
    }


def _if_it_had_not_waited(guard: GateGuard) -> GateGuard:
    """The guard on processor time at its upper end, with the room that ordinary waiting needs."""
    return GateGuard(
        name=CPU_AT_MOST,
        within=max(guard.within, STARVED.within),
        absolute=max(guard.absolute or 0.0, STARVED.absolute or 0.0),
        source=MetricSource.MEASURED,
        against=CPU,
    )


def _resolved(guard: Guard, known: Collection[str], scored: Collection[str] | None) -> GateGuard:
    name = measured_as(guard.name)
    if name is None or name not in known:
        return _as(guard, guard.name, _source(guard.name, scored))
    absolute = max(guard.absolute or 0.0, RESOLUTION[name])
    return _as(
        guard.model_copy(update={"absolute": absolute, "higher_is_better": False}), name, MetricSource.MEASURED
    )


def _usual(
    candidate: Sequence[Observation],
    control: Sequence[Observation],
    taken: Collection[str],
    outside: Collection[str],
) -> Iterator[Guard]:
    """Guards for costs that both sides report and no other guard looks at, under this name or as measured ``outside``."""
    reported = [set().union(*(t.metrics for t in side)) for side in (candidate, control)]
    for name in sorted(reported[0] & reported[1] - set(taken)):
        margin = next((m for prefix, m in USUAL_MARGINS.items() if name.startswith(prefix)), None)
        if margin is not None and measured_as(name) not in outside:
            yield Guard.declared(name, margin)


def _outside(guards: Iterable[Guard]) -> set[str]:
    return {g.name for g in guards if isinstance(g, GateGuard) and g.source is MetricSource.MEASURED}


def _source(name: str, scored: Collection[str] | None) -> MetricSource | None:
    if name not in COSTS and scored is None:
        return None
    return source_of(name, scored or ())


def _as(guard: Guard, name: str, source: MetricSource | None) -> GateGuard:
    return GateGuard(**{**guard.model_dump(), "name": name, "source": source})
