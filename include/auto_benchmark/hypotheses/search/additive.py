"""A local additive model of everything that was tried: which value of which knob adds how much near the best.

Ridge regression of the score on one indicator per knob value that differs from the best configuration's, each trial
weighted by how few knobs it differs in. What adds up is combined before it is tried; what works only in company shows
once the best has that company, because far trials fade.
"""

from __future__ import annotations

import itertools
from collections.abc import Sequence

import numpy as np

from auto_benchmark.hypotheses.search.results import Tried, changed, known_params
from auto_benchmark.registry.solution import Knob, Params, Scalar, configured

FADE = 1.0
"""Differing knobs over which a trial's weight falls to 1/e; chosen on perf/search_efficiency.py, as RIDGE is."""
RIDGE = 0.3

Change = tuple[str, Scalar]


def effects(center: Tried, tried: Sequence[Tried]) -> dict[Change, float]:
    """(knob, value) -> what it adds to ``center``, for every value that some finished trial has."""
    scored = [each for each in tried if each.scores]
    patches = [changed(each.params, center.params) for each in scored]
    pairs = list(dict.fromkeys(pair for patch in patches for pair in patch.items()))
    if not pairs:
        return {}
    column = {pair: i for i, pair in enumerate(pairs)}
    x = np.zeros((len(scored), len(pairs)))
    for row, patch in enumerate(patches):
        for pair in patch.items():
            x[row, column[pair]] = 1.0
    y = np.array([each.mean - center.mean for each in scored])
    weight = np.array([len(e.scores) * np.exp(-len(p) / FADE) for e, p in zip(scored, patches, strict=True)])
    left = (x * weight[:, None]).T @ x + RIDGE * np.eye(len(pairs)) * weight.max()
    found = np.linalg.solve(left, (x * weight[:, None]).T @ y)
    return dict(zip(pairs, map(float, found), strict=True))


def ask(knobs: dict[str, Knob], center: Tried, tried: Sequence[Tried], *, limit: int) -> list[Params]:
    """Untried configurations with the highest predicted score: the sum of all gains, and its neighbours."""
    adds = effects(center, tried)
    best: dict[str, tuple[float, Scalar]] = {}
    for (knob, value), gain in adds.items():
        if gain > 0 and gain > best.get(knob, (0.0, value))[0]:
            best[knob] = (gain, value)
    goal = {knob: value for knob, (_, value) in best.items()}
    known = known_params(tried)
    candidates = [goal, *_neighbours(goal, adds)]
    ranked = sorted(candidates, key=lambda patch: -sum(adds.get(pair, 0.0) for pair in patch.items()))
    found: list[Params] = []
    for patch in ranked:
        params = configured(knobs, {**center.params, **patch})
        if params not in known and params not in found:
            found.append(params)
    return found[:limit]


def _neighbours(goal: Params, adds: dict[Change, float]) -> list[Params]:
    """``goal`` with one or two of its changes dropped or replaced."""
    moves: list[tuple[str, Scalar | None]] = [(knob, None) for knob in goal]
    moves += [(knob, value) for knob, value in adds if goal.get(knob) != value]
    found = []
    for group in itertools.chain(itertools.combinations(moves, 1), itertools.combinations(moves, 2)):
        patch = dict(goal)
        for knob, value in group:
            if value is None:
                patch.pop(knob, None)
            else:
                patch[knob] = value
        found.append(patch)
    return found
