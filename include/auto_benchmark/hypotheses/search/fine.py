"""Fine search: small steps of every ordered knob around the base, then the steps that helped together.

From the second round on half of the configurations come from an estimator that has seen every past trial.
"""

from __future__ import annotations

from collections.abc import Sequence

from auto_benchmark.hypotheses.search import tpe
from auto_benchmark.hypotheses.search.ablation import around_best, joined, winners
from auto_benchmark.hypotheses.search.results import Tried, known_params
from auto_benchmark.hypotheses.search.space import steps
from auto_benchmark.registry.solution import Knob, Params, configured

STEP = 0.08


def ask(knobs: dict[str, Knob], base: Params, tried: Sequence[Tried], *, look: int, limit: int) -> list[Params]:
    """Configurations to try in search round ``look``; arguments as in the ablation."""
    if look == 0:
        near = [
            {**base, name: value} for name in knobs if name in base for value in steps(knobs[name], base[name], STEP)
        ]
        near = [configured(knobs, params) for params in near]
        return _fresh(near + around_best(knobs, base, []), tried)[:limit]
    near = joined(knobs, winners(base, tried), base) if look == 1 else around_best(knobs, base, tried)
    near = _fresh(near, tried)[: (limit + 1) // 2]
    return near + [p for p in tpe.ask(knobs, base, tried, look=look, limit=limit - len(near)) if p not in near]


def _fresh(wanted: Sequence[Params], tried: Sequence[Tried]) -> list[Params]:
    known = known_params(tried)
    return [p for i, p in enumerate(wanted) if p not in known and p not in wanted[:i]]
