"""Component ablation: one knob at a time around the base, then the winners together, then around the best.

Coordinate-wise screening finds main effects with as many trials as there are values; joining the winners tests at
once whether they add up, and a local additive model of all trials says what to join next. What was measured is never
measured again for the same seed.
"""

from __future__ import annotations

import itertools
from collections.abc import Sequence

from auto_benchmark.hypotheses.search import additive
from auto_benchmark.hypotheses.search.results import Tried, changed, known_params, pooled_sd
from auto_benchmark.hypotheses.search.space import single_changes, steps
from auto_benchmark.registry.solution import Knob, Params, configured

FINE_STEP = 0.12


def ask(knobs: dict[str, Knob], base: Params, tried: Sequence[Tried], *, look: int, limit: int) -> list[Params]:
    """Configurations to try in search round ``look`` (0, 1, 2, …), most promising first.

    Args:
        knobs: of the solution.
        base: configuration to improve, complete.
        tried: what is known so far, the base among it.
        look: number of the round.
        limit: how many may be asked for.
    """
    known = known_params(tried)
    best = max(tried, key=lambda each: each.mean, default=Tried(base, ()))
    if look == 0:
        wanted = single_changes(knobs, base)
    else:
        together = joined(knobs, winners(base, tried), base) if look == 1 else []
        added = additive.ask(knobs, best, tried, limit=limit) if best.scores else []
        wanted = together[:1] + added + together[1:]
        wanted += around_best(knobs, base, tried) if look > 1 or len(wanted) < 2 else []
    fresh = [p for i, p in enumerate(wanted) if p not in known and p not in wanted[:i]]
    return fresh[:limit]


def winners(base: Params, tried: Sequence[Tried]) -> list[tuple[float, str, Params]]:
    """The best value of each knob that beats the base by more than its noise: (gain, knob, patch), best first.

    The bar is two standard errors of the difference between one trial and the base's mean.
    """
    home = next((each for each in tried if each.params == base), None)
    if home is None or not home.scores:
        return []
    bar = 2.0 * pooled_sd(tried) * (1 + 1 / len(home.scores)) ** 0.5
    best: dict[str, tuple[float, str, Params]] = {}
    for each in tried:
        patch = changed(each.params, base)
        gain = each.mean - home.mean
        if len(patch) == 1 and each.scores and gain > bar:
            (name,) = patch
            if name not in best or gain > best[name][0]:
                best[name] = (gain, name, patch)
    return sorted(best.values(), key=lambda w: (-w[0], w[1]))


def joined(knobs: dict[str, Knob], found: Sequence[tuple[float, str, Params]], base: Params) -> list[Params]:
    """All winners together, then all but one, then the first few in pairs."""
    patches = [patch for _, _, patch in found]
    if len(patches) < 2:
        return [configured(knobs, {**base, **patch}) for patch in patches]
    groups: list[Sequence[Params]] = [patches]
    if len(patches) > 2:
        groups += [[p for p in patches if p is not left_out] for left_out in reversed(patches)]
    groups += list(itertools.combinations(patches[:4], 2))
    return [configured(knobs, _merge(base, group)) for group in groups]


def around_best(knobs: dict[str, Knob], base: Params, tried: Sequence[Tried]) -> list[Params]:
    """One knob at a time around the best configuration so far: small steps of what changed, then the rest."""
    best = max(tried, key=lambda each: each.mean, default=Tried(base, ())).params
    touched = [name for name in knobs if name in best and name in base and best[name] != base[name]]
    near = [{**best, name: value} for name in touched for value in steps(knobs[name], best[name], FINE_STEP)]
    rest = single_changes(knobs, best, among=knobs.keys() - {*touched})
    return [configured(knobs, params) for params in near] + rest


def _merge(base: Params, patches: Sequence[Params]) -> Params:
    merged = dict(base)
    for patch in patches:
        merged.update(patch)
    return merged
