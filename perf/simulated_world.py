"""Worlds to evaluate the loop in, made from stored real trials, and what a policy did in one."""

from dataclasses import dataclass, field

import numpy as np
from search_table import World as Table

ITEM_LUCK, QUANTILE = 0.006, 0.99
PAPERS, OPTIMISM, SCATTER = 2, 1.5, 0.5


class World:
    """One world: true means, a start among the worse half, a competitor.

    Every configuration has luck with the items of the search split (sd ITEM_LUCK, the same in all of its trials). In a
    placebo world all configurations are equally good.
    """

    def __init__(self, table: Table, seed: int, *, placebo: bool = False) -> None:
        self.rng, self.table = np.random.default_rng(seed), table
        self.knobs, self.names = table.knobs, table.names
        ordered = sorted(table.means, key=lambda key: table.means[key])
        start = ordered[int(self.rng.integers(len(ordered) // 2))]
        self.base = dict(zip(table.names, start, strict=True))
        level = table.means[start]
        self.truths = dict.fromkeys(table.means, level) if placebo else table.means
        values = sorted(table.means.values())
        self.rival = level + 0.02 if placebo else values[int(QUANTILE * len(values))]
        self.luck = {key: float(self.rng.normal(0, ITEM_LUCK)) for key in table.means}
        scale = (5 / 4) ** 0.5
        self.residuals = np.array([scale * (s - table.means[k]) for k, v in table.scores.items() for s in v])
        self.trials = 0

    def truth(self, params) -> float:
        return self.truths[self.table.key(params)]

    def search(self, params) -> float:
        """One trial on the search split."""
        self.trials += 1
        return self.truth(params) + self.luck[self.table.key(params)] + float(self.rng.choice(self.residuals))

    def gate(self, params) -> float:
        """One trial on the gate split."""
        self.trials += 1
        return self.truth(params) + float(self.rng.choice(self.residuals))

    def papers(self) -> list[tuple[dict, float]]:
        """This week's papers: (change that a technique means here, claimed gain in percent).

        A claim is the technique's mean effect over all configurations times a publication's optimism. A technique
        that does nothing is published too, with a claim out of the air: half to five percent.
        """
        found = []
        for _ in range(PAPERS):
            name = self.names[int(self.rng.integers(len(self.names)))]
            values = self.knobs[name].choices
            value = values[int(self.rng.integers(len(values)))]
            i = self.names.index(name)
            with_it = np.mean([t for key, t in self.truths.items() if key[i] == value])
            effect = 100 * float(with_it - np.mean(list(self.truths.values())))
            claimed = effect * OPTIMISM * float(np.exp(self.rng.normal(0, SCATTER)))
            found.append(({name: value}, claimed if effect > 0.5 else float(self.rng.uniform(0.5, 5))))
        return found


@dataclass
class Run:
    """What one policy did in one world.

    Attributes:
        promotions: (true gain, claimed gain) of each change of production.
        reached: trials at the first time at #1; None when never.
        said: what it says at the end when its last base was not replaced.
        challenger: whether it holds a challenger at the end.
    """

    production: dict
    first: float
    promotions: list[tuple[float, float]] = field(default_factory=list)
    reached: int | None = None
    plateau: bool = False
    said: str = ""
    challenger: bool = False

    def promote(self, world: World, params, claimed: float) -> None:
        self.promotions.append((world.truth(params) - world.truth(self.production), claimed))
        self.production = params
        if self.reached is None and world.truth(params) >= world.rival:
            self.reached = world.trials
