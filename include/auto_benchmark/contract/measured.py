"""The costs of a trial that are measured outside of it, and the names under which people ask for them.

Whatever else a trial says about its own time and memory is its own word: *self-reported*.
"""

from __future__ import annotations

from collections.abc import Iterable
from enum import StrEnum

WALL, CPU, MEMORY, CPU_AT_MOST = "wall_s", "cpu_s", "peak_memory_mb", "cpu_at_most_s"
COSTS = (WALL, CPU, MEMORY)
MEASURED = (*COSTS, CPU_AT_MOST)
"""Names that a trial cannot give a value to. ``cpu_at_most_s`` is what it can have wanted of a busy machine's processors."""

_ALSO_CALLED = {
    WALL: (
        "latency",
        "latency_s",
        "wall",
        "wall_time",
        "wall_time_s",
        "runtime",
        "runtime_s",
        "duration_s",
        "time_s",
    ),
    CPU: ("cpu", "cpu_time", "cpu_time_s"),
    MEMORY: ("memory", "memory_mb", "peak_memory", "memory_peak_mb", "max_memory_mb", "rss_mb"),
}
_STANDS_FOR = {alias: name for name, aliases in _ALSO_CALLED.items() for alias in (name, *aliases)}


class MetricSource(StrEnum):
    """Who says what a metric is."""

    MEASURED = "measured"
    SCORED = "scored"
    SELF_REPORTED = "self_reported"


def measured_as(name: str) -> str | None:
    """The measured cost that a guard of this name means; None for anything else.

    ``latency_ms`` is none: what one answer takes is known to the trial alone.
    """
    return _STANDS_FOR.get(name)


def source_of(name: str, scored: Iterable[str]) -> MetricSource:
    """Who gives a metric its value, when the scorer gives those that are ``scored``."""
    if name in MEASURED:
        return MetricSource.MEASURED
    return MetricSource.SCORED if name in scored else MetricSource.SELF_REPORTED


def shown_name(name: str, source: MetricSource | None) -> str:
    """A metric's name as reports show it: with a remark where only the trial vouches for it."""
    return f"{name} (self-reported)" if source is MetricSource.SELF_REPORTED else name
