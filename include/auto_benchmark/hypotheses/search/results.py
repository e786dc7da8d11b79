"""What the search knows: configurations it tried on the search split, and how noisy that split is."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from auto_benchmark.registry.solution import Params


@dataclass(frozen=True, slots=True)
class Tried:
    """One configuration and its scores on the search split, oriented so that higher is better.

    Attributes:
        scores: one per seed; empty when every trial of it failed.
        slices: mean score per kind of question, where the scorer tells them apart; oriented alike.
        guards: mean of each guarded secondary metric (latency, memory), as measured.
        alike: further configurations that predict the same at the same cost, and count as this one.
    """

    params: Params
    scores: tuple[float, ...]
    slices: Mapping[str, float] = field(default_factory=dict)
    guards: Mapping[str, float] = field(default_factory=dict)
    alike: tuple[Params, ...] = ()

    @property
    def mean(self) -> float:
        """Mean score; minus infinity for a configuration that never finished."""
        return sum(self.scores) / len(self.scores) if self.scores else -math.inf


def pooled_sd(tried: Sequence[Tried]) -> float:
    """Standard deviation between seeds, pooled over all configurations tried with two or more; 0 without any."""
    squares, freedom = 0.0, 0
    for each in tried:
        if len(each.scores) > 1:
            squares += sum((s - each.mean) ** 2 for s in each.scores)
            freedom += len(each.scores) - 1
    return math.sqrt(squares / freedom) if freedom else 0.0


def changed(params: Params, base: Params) -> Params:
    """The part of ``params`` that differs from ``base``."""
    return {name: value for name, value in params.items() if base.get(name) != value}


def known_params(tried: Sequence[Tried]) -> list[Params]:
    """Every configuration that needs no trial any more."""
    return [params for each in tried for params in (each.params, *each.alike)]


def results_of(tried: Sequence[Tried], params: Params) -> Tried | None:
    """The result of exactly this configuration, or of one that counts as it."""
    return next((each for each in tried if each.params == params or params in each.alike), None)
