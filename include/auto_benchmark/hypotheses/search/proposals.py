"""From search results to proposals: what is worth the gate's seeds, with an estimate that allows for luck."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from auto_benchmark.hypotheses.search.results import Tried, changed, pooled_sd, results_of
from auto_benchmark.hypotheses.strategy import Strategy
from auto_benchmark.registry.guard import Guard
from auto_benchmark.registry.solution import Params
from auto_benchmark.registry.technique_catalog import Effort

LONGEST_TITLE = 4
HALF_A_MARGIN = 0.5
"""Up to this share of a guard's margin a loss is taken for noise."""


@dataclass(frozen=True, slots=True)
class Proposal:
    """A change worth a hypothesis.

    Attributes:
        estimated_gain: shrunken improvement over the base on the search split, in the metric's unit.
        measured_gain: the same before shrinking.
    """

    patch: Params
    estimated_gain: float
    measured_gain: float
    effort: Effort


def propose(base: Params, tried: Sequence[Tried], *, limit: int, guards: Sequence[Guard] = ()) -> list[Proposal]:
    """The best configurations tried, best first, their gains shrunk towards the mean of all tried.

    A configuration whose guarded metrics look worse than their margin would fail the gate's guard rows after many
    seeds: its gain counts half where the excess lies within the margin, and a tenth beyond it.

    The maximum of many noisy results is too high by construction. Shrinking each difference by the share of the
    variance between configurations that is not noise (the James-Stein factor for known noise, Efron & Morris 1973)
    takes the expected part of that luck out.
    """
    home = results_of(tried, base)
    if home is None or not home.scores:
        return []
    rest = [each for each in tried if each.scores and each.params != base]
    noise = pooled_sd(tried) ** 2
    gains = [each.mean - home.mean for each in rest]
    spread = sum(g * g for g in gains) / len(gains) if gains else 0.0
    found = []
    for each, gain in zip(rest, gains, strict=True):
        variance = noise * (1 / len(each.scores) + 1 / len(home.scores))
        shrink = max(0.0, 1 - variance / spread) if spread else 0.0
        expected = gain * shrink * _chance(each, home, guards)
        if expected > 0:
            found.append(Proposal(changed(each.params, base), expected, gain, Effort.LOW))
    return sorted(found, key=lambda p: (-p.estimated_gain, len(p.patch), sorted(p.patch)))[:limit]


def _chance(each: Tried, home: Tried, guards: Sequence[Guard]) -> float:
    """How likely the guards let a configuration pass, roughly, from the search's few trials."""
    worst = 0.0
    for guard in guards:
        before, now = home.guards.get(guard.name), each.guards.get(guard.name)
        if before and now is not None:
            loss = before - now if guard.higher_is_better else now - before
            worst = max(worst, loss / guard.tolerated(before))
    return 1.0 if worst <= HALF_A_MARGIN else 0.5 if worst <= 1 else 0.1


def change_of(patch: Mapping[str, object]) -> str:
    """A change in words, complete: ``Set chunk_size to 64 and rerank to true``."""
    return "Set " + _joined([_setting(name, value) for name, value in patch.items()])


def title_of(patch: Mapping[str, object]) -> str:
    """A change in words, short: long ones name their first knobs and count the rest."""
    if len(patch) <= LONGEST_TITLE:
        return change_of(patch)
    first = [_setting(name, patch[name]) for name in list(patch)[: LONGEST_TITLE - 1]]
    return "Set " + _joined([*first, f"{len(patch) - len(first)} more knobs"])


def _setting(name: str, value: object) -> str:
    return f"{name} to {str(value).lower() if isinstance(value, bool) else value}"


def _joined(parts: Sequence[str]) -> str:
    return parts[0] if len(parts) == 1 else f"{', '.join(parts[:-1])} and {parts[-1]}"


def source_of(strategy: Strategy, gap: float) -> str:
    """Where a searched hypothesis comes from, in the mission's words."""
    return f"{strategy.value} search + gap analysis (gap to #1 = {abs(gap):.3f})"
