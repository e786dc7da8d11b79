"""Random search: uniform over every knob's range. The yardstick, and the way out when nothing else has an idea."""

from __future__ import annotations

import random
from collections.abc import Sequence

from auto_benchmark.hypotheses.search.results import Tried, known_params
from auto_benchmark.hypotheses.search.space import at
from auto_benchmark.registry.solution import Knob, Params, Scalar, configured


def ask(knobs: dict[str, Knob], base: Params, tried: Sequence[Tried], *, look: int, limit: int) -> list[Params]:
    """Random configurations, never one that is known; arguments as in the ablation; repeatable."""
    rng = random.Random(f"{len(tried)} {look}")  # noqa: S311 - a search, not a secret
    known = known_params(tried)
    found: list[Params] = []
    for _ in range(20 * limit):
        if len(found) == limit:
            break
        params = configured(knobs, {**base, **{name: _value(knob, rng) for name, knob in knobs.items()}})
        if params not in known and params not in found:
            found.append(params)
    return found


def _value(knob: Knob, rng: random.Random) -> Scalar:
    if knob.type == "bool":
        return rng.random() < 0.5
    if knob.type == "choice":
        return rng.choice(knob.choices or [knob.default])
    return at(knob, rng.random())
