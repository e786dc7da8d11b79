"""Guards: secondary metrics that a promotion may not spoil, as ``solution.yaml`` declares them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from types import MappingProxyType

from pydantic import StrictBool, StrictStr

from auto_benchmark.documents import Strict
from auto_benchmark.errors import InputError
from auto_benchmark.registry.metric_directions import direction_of
from auto_benchmark.registry.names import NotNegative, Positive

ABSOLUTE_MARGINS = {"_ms": 0.05, "_mb": 1.0}
"""Losses too small to matter, by the unit at the end of a metric's name: a tenth of a millisecond wavers by a quarter
when trials share a core."""


class DeclaredGuard(Strict):
    """A guard as ``solution.yaml`` writes it.

    Attributes:
        within: tolerated loss as a share of production's value.
        absolute: tolerated loss in the metric's own unit; by the unit in the name where a solution leaves it out.
        higher_is_better: direction; may be left out where the benchmark declares it or the name is well known.
    """

    name: StrictStr
    within: Positive
    absolute: NotNegative | None = None
    higher_is_better: StrictBool | None = None


class Guard(DeclaredGuard):
    """A secondary metric that may not get worse by more than a fraction and, at once, by more than an amount."""

    higher_is_better: StrictBool = False

    @classmethod
    def declared(
        cls, name: str, within: float, *, absolute: float | None = None, higher_is_better: bool = False
    ) -> Guard:
        """A guard whose absolute margin is known: the given one, or the usual one of the metric's unit."""
        if absolute is None:
            absolute = next((least for unit, least in ABSOLUTE_MARGINS.items() if name.endswith(unit)), 0.0)
        return cls(name=name, within=within, absolute=absolute, higher_is_better=higher_is_better)

    def tolerated(self, baseline: float) -> float:
        """The loss, in the metric's unit, up to which nothing is wrong: the larger of both margins."""
        return self.share(baseline) * abs(baseline) if baseline else self.absolute or 0.0

    def share(self, baseline: float) -> float:
        """:meth:`tolerated` as a share of a baseline other than 0."""
        return max(self.within, (self.absolute or 0.0) / abs(baseline))


class SolutionMetrics(Strict):
    """Secondary metrics that the promotion gate guards."""

    guards: list[StrictStr | DeclaredGuard] = []

    @property
    def guarded_names(self) -> list[str]:
        """Names of the guarded metrics."""
        return [guard if isinstance(guard, str) else guard.name for guard in self.guards]

    def guarded(self, directions: Mapping[str, bool] = MappingProxyType({})) -> list[Guard]:
        """Every guard with its margins: memory within 15 %, anything else within 10 %, unless declared.

        Args:
            directions: metric -> whether higher is better, as the benchmark declares it.

        Raises:
            InputError: a guard's direction is not known, or contradicts the benchmark's.
        """
        if fault := next(self.undirected(directions), None):
            raise InputError(f"metrics.guards[{fault[0]}]: {fault[1]}")
        found = []
        for each in self.guards:
            guard = each if isinstance(each, DeclaredGuard) else DeclaredGuard(name=each, within=_usual_margin(each))
            higher = bool(_direction(guard, directions))
            found.append(Guard.declared(guard.name, guard.within, absolute=guard.absolute, higher_is_better=higher))
        return found

    def undirected(self, directions: Mapping[str, bool]) -> Iterator[tuple[int, str]]:
        """Places of guards whose direction is not known or contradicts the benchmark's, and what is wrong."""
        for i, each in enumerate(self.guards):
            guard = each if isinstance(each, DeclaredGuard) else DeclaredGuard(name=each, within=1.0)
            given, known = guard.higher_is_better, directions.get(guard.name)
            if _direction(guard, directions) is None:
                yield (
                    i,
                    (
                        f"nothing says whether a higher {guard.name!r} is better: write "
                        f"{{name: {guard.name}, within: 0.1, higher_is_better: true}} (or false), or declare it under "
                        "secondary in benchmark.yaml"
                    ),
                )
            elif None not in (given, known) and given != known:
                yield i, f"higher_is_better is {_word(given)} here and {_word(known)} in benchmark.yaml"


def _direction(guard: DeclaredGuard, directions: Mapping[str, bool]) -> bool | None:
    """As declared with the guard, else by the benchmark, else what is well known of its name."""
    if guard.higher_is_better is not None:
        return guard.higher_is_better
    return directions.get(guard.name, direction_of(guard.name))


def _usual_margin(name: str) -> float:
    return 0.15 if "memory" in name else 0.10


def _word(value: bool | None) -> str:
    return str(value).lower()
