"""Configurations that predict the same on all of the search split, with the same seeds and at the same cost, are one.

A knob that has no effect beside the present values of the others makes as many of them as it has values. Counted
separately they would fill the queue with one change under several names, and widen every interval that allows for many
candidates.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from auto_benchmark.artifacts import trial_folder
from auto_benchmark.contract.measured import CPU, MEMORY
from auto_benchmark.db.repositories.search_results import SearchResult
from auto_benchmark.hypotheses.search.results import Tried
from auto_benchmark.project.context import Context
from auto_benchmark.promotion.guarding import RESOLUTION
from auto_benchmark.registry.solution import Params

LEAST_SEEDS = 2
"""One seed may predict the same by chance of what it draws."""
SAME_COST = 0.25
"""Share by which processor time and memory of equal work differ when trials run side by side."""
MOST_ASKED = 4


@dataclass(frozen=True, slots=True)
class Seen:
    """A configuration as the search knows it, and the trials behind it."""

    tried: Tried
    result: SearchResult


def merged(ctx: Context, seen: Sequence[Seen], base: Params) -> list[Tried]:
    """What the search knows, each group of configurations that are one under its first, or under ``base``."""
    found: list[Seen] = []
    for each in sorted(seen, key=lambda s: s.tried.params != base):
        for i, known in enumerate(found):
            if _common(known, each) >= LEAST_SEEDS and _is_one(ctx, known, each):
                alike = (*known.tried.alike, each.tried.params)
                found[i] = replace(known, tried=replace(known.tried, alike=alike))
                break
        else:
            found.append(each)
    return [each.tried for each in found]


def doubtful(ctx: Context, seen: Sequence[Seen]) -> list[Params]:
    """Configurations, best first, whose only trial predicts what another's does: a second seed will tell."""
    single = [each for each in seen if len(each.result.folders) == 1]
    found: list[Params] = []
    for each in sorted(single, key=lambda s: -s.tried.mean):
        others = (other for other in seen if other is not each and _common(other, each) and _is_one(ctx, other, each))
        for other in others:
            found += [s.tried.params for s in (each, other) if len(s.result.folders) == 1]
            break
    return [params for i, params in enumerate(found) if params not in found[:i]][:MOST_ASKED]


def _common(one: Seen, other: Seen) -> int:
    return len(one.result.folders.keys() & other.result.folders.keys())


def _is_one(ctx: Context, one: Seen, other: Seen) -> bool:
    """Whether every common seed predicts the same at the same cost; files are read only where the scores agree."""
    seeds = one.result.folders.keys() & other.result.folders.keys()
    if one.tried.scores[:1] != other.tried.scores[:1] or not _cost_the_same(ctx, one.tried, other.tried):
        return False
    digests = [(_digest(ctx, one, seed), _digest(ctx, other, seed)) for seed in sorted(seeds)]
    return all(mine is not None and mine == its for mine, its in digests)


def _digest(ctx: Context, of: Seen, seed: int) -> str | None:
    return trial_folder.predictions_digest(ctx.home / of.result.folders[seed])


def _cost_the_same(ctx: Context, one: Tried, other: Tried) -> bool:
    return same_cost(ctx, one.guards, other.guards)


def same_cost(ctx: Context, one: Mapping[str, float], other: Mapping[str, float]) -> bool:
    """Processor time and memory within what equal work differs by, guarded metrics within half of their margins."""
    margins = {name: (SAME_COST, RESOLUTION[name]) for name in (CPU, MEMORY)}
    margins |= {guard.name: (guard.within / 2, (guard.absolute or 0.0) / 2) for guard in ctx.bench.guards}
    return all(
        abs(one[name] - other[name]) <= max(share * min(abs(one[name]), abs(other[name])), least)
        for name, (share, least) in margins.items()
        if name in one and name in other
    )
