"""The values around a knob's current one."""

from __future__ import annotations

import math
from collections.abc import Collection

from auto_benchmark.registry.solution import Knob, Params, Scalar, configured, is_active

WIDE = (0.02, 0.25, 0.5, 0.75, 0.98)
"""Places in a knob's range (0 low, 1 high; on the log scale where the knob asks for it) tried by an ablation."""


def variants(knob: Knob, current: Scalar) -> list[Scalar]:
    """Values spread over the knob's whole range, without those close to the current one."""
    if knob.type == "bool":
        return [not current]
    if knob.type == "choice":
        return [choice for choice in knob.choices or [] if choice != current]
    here = position(knob, current)
    values = [at(knob, place) for place in WIDE if abs(place - here) > 0.1]
    return [v for i, v in enumerate(values) if v != current and v not in values[:i]]


def steps(knob: Knob, current: Scalar, width: float) -> list[Scalar]:
    """One step down and one up, ``width`` of the range each; empty for knobs without an order."""
    if knob.type not in {"float", "int"}:
        return []
    here = position(knob, current)
    values = [at(knob, min(1.0, max(0.0, here + sign * width))) for sign in (-1, 1)]
    return [v for i, v in enumerate(values) if v != current and v not in values[:i]]


def position(knob: Knob, value: Scalar) -> float:
    """Where a number lies in its knob's range, 0 to 1."""
    low, high = knob.range or (0.0, 1.0)
    number = float(value)
    if knob.log:
        low, high, number = math.log(low), math.log(high), math.log(number)
    return (number - low) / (high - low)


def at(knob: Knob, place: float) -> Scalar:
    """The value at a place of a knob's range; the inverse of :func:`position`."""
    low, high = knob.range or (0.0, 1.0)
    number = math.exp(math.log(low) + place * math.log(high / low)) if knob.log else low + place * (high - low)
    if knob.type == "int":
        return min(math.floor(high), max(math.ceil(low), round(number)))
    return min(high, max(low, float(f"{number:.4g}")))


def single_changes(knobs: dict[str, Knob], base: Params, among: Collection[str] | None = None) -> list[Params]:
    """Every configuration that differs from ``base`` in one knob that is active there, or in one ``among`` those.

    First comes each knob's first variant, then each knob's second: a budget that ends early has seen every knob. A knob
    that another choice calls into being starts from its default.
    """
    active = [name for name in knobs if is_active(knobs, base, name) and (among is None or name in among)]
    columns = {name: variants(knobs[name], base.get(name, knobs[name].default)) for name in active}
    longest = max(map(len, columns.values()), default=0)
    return [
        configured(knobs, {**base, name: values[i]})
        for i in range(longest)
        for name, values in columns.items()
        if i < len(values)
    ]
