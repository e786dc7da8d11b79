"""Research-driven search: what papers' techniques mean for the solution, one by one, then in pairs."""

from __future__ import annotations

import itertools
from collections.abc import Mapping, Sequence

from auto_benchmark.hypotheses.search.results import Tried
from auto_benchmark.registry.solution import Knob, Params, configured


def ask(
    knobs: Mapping[str, Knob], techniques: Mapping[str, Params], base: Params, tried: Sequence[Tried], *, limit: int
) -> list[tuple[str, Params]]:
    """(name, configuration) of techniques that the base does not have yet and that were not tried on it.

    Pairs follow, those first whose members did best alone on this base.
    """
    known = {_key(params): each.mean for each in tried for params in (each.params, *each.alike)}
    alone = {name: configured(knobs, {**base, **patch}) for name, patch in techniques.items()}
    alone = {name: params for name, params in alone.items() if params != base}
    ranked = sorted(alone, key=lambda name: (-known.get(_key(alone[name]), 0.0), name))
    wanted = [(name, alone[name]) for name in alone]
    for one, other in itertools.combinations(ranked, 2):
        patch = {**techniques[other], **techniques[one]}
        wanted.append((f"{one} and {other}", configured(knobs, {**base, **patch})))
    found: list[tuple[str, Params]] = []
    for name, params in wanted:
        if params != base and _key(params) not in known and all(params != p for _, p in found):
            found.append((name, params))
    return found[:limit]


def _key(params: Mapping[str, object]) -> tuple[tuple[str, str], ...]:
    return tuple(sorted((name, repr(value)) for name, value in params.items()))
