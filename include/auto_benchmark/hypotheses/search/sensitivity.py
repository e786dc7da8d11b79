"""Which knob next? Those that in past trials moved the kinds of questions that fail most today.

Nothing is known about the knobs but what trials showed: two configurations that differ in one knob alone say how far
that knob moves each slice of the questions.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from statistics import fmean, median

from auto_benchmark.hypotheses.search.results import Tried
from auto_benchmark.registry.solution import Knob, Params


def knob_effects(knobs: Mapping[str, Knob], tried: Sequence[Tried]) -> dict[str, dict[str, float]]:
    """Knob -> slice -> how far the knob alone moves the slice: mean range over groups that agree in all the rest."""
    found: dict[str, dict[str, float]] = {}
    for name in knobs:
        groups: dict[str, list[Tried]] = {}
        for each in tried:
            if each.slices:
                rest = repr(sorted((k, repr(v)) for k, v in each.params.items() if k != name))
                groups.setdefault(rest, []).append(each)
        ranges: dict[str, list[float]] = {}
        for group in (g for g in groups.values() if len(g) > 1):
            for part in set.intersection(*({*each.slices} for each in group)):
                values = [each.slices[part] for each in group]
                ranges.setdefault(part, []).append(max(values) - min(values))
        if ranges:
            found[name] = {part: fmean(values) for part, values in ranges.items()}
    return found


def headroom(base: Params, tried: Sequence[Tried]) -> dict[str, float]:
    """Slice -> how much better some trial did on it than the base does, at least what is missing to 1 for shares."""
    home = next((each for each in tried if each.params == base and each.slices), None)
    if home is None:
        return {}
    found = {}
    for part, value in home.slices.items():
        best = max(each.slices.get(part, value) for each in tried)
        found[part] = max(best - value, 1.0 - value if 0.0 <= value <= 1.0 else 0.0)
    return found


def by_potential(knobs: dict[str, Knob], base: Params, tried: Sequence[Tried]) -> dict[str, Knob]:
    """The same knobs, most promising first; knobs that no trial speaks about stand in the middle.

    Potential = sum over slices of headroom x effect. Without history the declared order stays.
    """
    effects, room = knob_effects(knobs, tried), headroom(base, tried)
    if not effects or not room:
        return knobs
    potential = {
        name: sum(room.get(part, 0.0) * effect for part, effect in parts.items()) for name, parts in effects.items()
    }
    middle = median(potential.values())
    order = sorted(knobs, key=lambda name: -potential.get(name, middle))
    return {name: knobs[name] for name in order}


def weakest(base: Params, tried: Sequence[Tried], *, count: int = 2) -> list[tuple[str, float]]:
    """The slices on which the base does worst, worst first."""
    home = next((each for each in tried if each.params == base and each.slices), None)
    return sorted(home.slices.items(), key=lambda item: (item[1], item[0]))[:count] if home else []
