"""What a configuration from before means after the knobs in ``solution.yaml`` have changed.

A new knob has its default, a knob that is gone is left out, and a value that is no longer allowed becomes the nearest
one that is.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from auto_benchmark.registry.solution import Knob, Params, Scalar, configured


@dataclass(frozen=True, slots=True)
class Fitted:
    """A configuration of today's knobs.

    Attributes:
        params: it.
        changes: how it differs from the stored one, in words; empty where that fits as it is.
        is_same: only defaults were added, or inactive knobs left out: what was measured with the stored one holds.
    """

    params: Params
    changes: tuple[str, ...]
    is_same: bool


def fit(knobs: Mapping[str, Knob], stored: Mapping[str, Scalar]) -> Fitted:
    """``stored`` as a configuration of ``knobs``."""
    gone = sorted(stored.keys() - knobs.keys())
    moved = {
        name: knob.nearest(stored[name])
        for name, knob in knobs.items()
        if name in stored and knob.refuses(stored[name])
    }
    params = configured(knobs, {**{n: v for n, v in stored.items() if n in knobs}, **moved})
    moved = {name: value for name, value in moved.items() if name in params}
    changes = [f"{name} is gone (was {stored[name]})" for name in gone]
    changes += [f"{name} = {value}, since {stored[name]} is not allowed any more" for name, value in moved.items()]
    changes += [
        f"{name} = {value}, the default of a new knob" for name, value in params.items() if name not in stored
    ]
    inactive = [name for name in stored if name in knobs and name not in params]
    changes += [f"{name} is left out, it does nothing here" for name in inactive]
    return Fitted(dict(stored) if not changes else params, tuple(changes), not gone and not moved)
