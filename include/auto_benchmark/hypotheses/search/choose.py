"""Which way of searching a round uses: by the size of the gap, and another one when that has nothing left to try."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from statistics import NormalDist

from auto_benchmark.hypotheses.search import ablation, fine, scatter, techniques, tpe
from auto_benchmark.hypotheses.search.results import Tried, pooled_sd, results_of
from auto_benchmark.hypotheses.search.sensitivity import by_potential
from auto_benchmark.hypotheses.strategy import Strategy
from auto_benchmark.registry.solution import Knob, Params

BY_GAP = {Strategy.FINE: fine.ask, Strategy.ABLATION: ablation.ask, Strategy.STRUCTURAL: ablation.ask}
AFTER_PLATEAU = 6
"""Configurations per round once the usual search has nothing left: structural changes are worth few trials each."""


@dataclass(frozen=True, slots=True)
class NextConfigurations:
    """Configurations to try, and how they were found."""

    params: list[Params]
    how: str


def ask(
    strategy: Strategy, knobs: dict[str, Knob], base: Params, tried: Sequence[Tried], *,
    known_techniques: Mapping[str, Params], look: int, limit: int, refused: Sequence[Params] = (),
) -> NextConfigurations:  # fmt: skip
    """Configurations for search round ``look``.

    Arguments are those of the ablation; ``known_techniques`` are the solution's, by name, and ``refused`` what the
    gate did not take on this base.
    """
    if look > 0 and strategy is Strategy.FINE and has_plateaued(base, tried, refused):
        limit = min(limit, AFTER_PLATEAU)
    usual = BY_GAP[strategy](by_potential(knobs, base, tried), base, tried, look=look, limit=limit)
    if usual:
        return NextConfigurations(usual, strategy.value)
    few = min(limit, AFTER_PLATEAU)
    if look == 0:
        named = techniques.ask(knobs, known_techniques, base, tried, limit=few)
        if named:
            return NextConfigurations(
                [params for _, params in named], "techniques: " + ", ".join(name for name, _ in named)
            )
    if look <= 1:
        return NextConfigurations(tpe.ask(knobs, base, tried, look=look, limit=few), "estimator over all past trials")
    return NextConfigurations(scatter.ask(knobs, base, tried, look=look, limit=few), "random")


def has_plateaued(base: Params, tried: Sequence[Tried], refused: Sequence[Params] = ()) -> bool:
    """Whether the best of everything that was tried is no better than luck among so many makes it look.

    The bar is the one-sided 5 % point of a difference, divided among the configurations tried (Bonferroni). What the
    gate refused on this base was luck of the search split's items, which no further seed there would show.
    """
    home = results_of(tried, base)
    rest = [each for each in tried if each.scores and each.params != base]
    if home is None or not home.scores or not rest:
        return False
    open_ = [each for each in rest if each.params not in refused]
    sd, bar = pooled_sd(tried), NormalDist().inv_cdf(1 - 0.05 / len(rest))
    return all(
        each.mean - home.mean <= bar * sd * (1 / len(each.scores) + 1 / len(home.scores)) ** 0.5 for each in open_
    )
