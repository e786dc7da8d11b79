"""Fine search: small steps of every ordered knob around the base, then the steps that helped together."""

from __future__ import annotations

from collections.abc import Sequence

from auto_benchmark.hypotheses.search.ablation import around_best, joined, winners
from auto_benchmark.hypotheses.search.results import Tried
from auto_benchmark.hypotheses.search.space import steps
from auto_benchmark.registry.solution import Knob, Params

STEP = 0.08


def ask(knobs: dict[str, Knob], base: Params, tried: Sequence[Tried], *, look: int, limit: int) -> list[Params]:
    """Configurations to try in search round ``look``; arguments as in the ablation."""
    known = [each.params for each in tried]
    if look == 0:
        wanted = [
            {**base, name: value} for name, knob in knobs.items() for value in steps(knob, base[name], STEP)
        ] + around_best(knobs, base, [])
    elif look == 1:
        wanted = joined(winners(base, tried), base)
    else:
        wanted = around_best(knobs, base, tried)
    return [p for i, p in enumerate(wanted) if p not in known and p not in wanted[:i]][:limit]
