"""What small pilots cost a search, on simulated panels: ``perf/construct_pilots.py``.

On real panels the search was compared with 12 pilot items a description, since every item has to be answered there. Here
systems are simulated, so that the construction's own sizes can be had: 50 to steer and 100 to choose. What a description is
worth is computed on many items. Difficulty follows the parameters, more or less steeply and for each system a little
otherwise, and each description is off that by chance; nothing was fitted to a real panel.
"""

from __future__ import annotations

import zlib
from collections.abc import Sequence
from typing import Any

import numpy as np
from construct_comparison import adaptive, chosen, earlier, random_search
from measured import keep
from panel_answers import FIELDS, Deal

from auto_benchmark.construction.source import Description, sources_by_name
from auto_benchmark.construction.sources import SOURCES
from auto_benchmark.stats.intervals import t_interval
from auto_benchmark.stats.objectives import Right

WORLDS, SYSTEMS = 40, 10
TRIES = (8, 20)
SIZES = {"12 and 12": (12, 12), "50 and 100": (50, 100)}
"""Items of a description that steer and that choose."""
REPORTING, MANY = 24, 1500
FIELD = FIELDS["language_identification"]
ROUGH = 0.3
"""How far a description lies off what its parameters say, in logits."""
SEARCHES = {"adaptive": adaptive, "random search": random_search}


class Simulated:
    """One world: systems whose accuracies on every description are known."""

    def __init__(self, world: int, pool: int) -> None:
        self.source = sources_by_name(SOURCES)[FIELD.source]
        self.names = [f"system {i}" for i in range(SYSTEMS)]
        self._world, self._pool = world, pool
        rng = np.random.default_rng(world)
        self._ability = rng.normal(1.0, 0.7, SYSTEMS)
        self._harder = {name: self._effects(rng, values) for name, values in FIELD.grid.items()}
        self._matrices: dict[str, Right] = {}

    @staticmethod
    def _effects(rng: np.random.Generator, values: Sequence[object]) -> Any:
        """(systems, values) logits by which a value is harder."""
        if not isinstance(values[0], int):
            return rng.normal(0, 0.7, len(values)) + rng.normal(0, 0.3, (SYSTEMS, len(values)))
        steps = np.linspace(0, 1, len(values))
        slope = rng.gamma(1.2) * (1 if rng.random() < 0.8 else -1)
        return slope * steps ** rng.choice([0.5, 1, 2]) + rng.normal(0, 0.35, (SYSTEMS, 1)) * steps

    def _answered(self, description: Description, items: int, draw: int) -> Right:
        own = np.random.default_rng((self._world, zlib.crc32(description.id.encode())))
        off = own.normal(0, ROUGH) + own.normal(0, 0.6 * ROUGH, SYSTEMS)
        harder = sum(self._harder[n][:, FIELD.grid[n].index(v)] for n, v in description.params.items())
        rng = np.random.default_rng((self._world, zlib.crc32(description.id.encode()), draw))
        logits = (self._ability - harder - off)[:, None] - rng.normal(0, 1, items)
        return np.asarray(rng.random(logits.shape) < 1 / (1 + np.exp(-logits)))

    def of(self, description: Description) -> Right:
        """(systems, items) of the pool."""
        if description.id not in self._matrices:
            self._matrices[description.id] = self._answered(description, self._pool, 0)
        return self._matrices[description.id]

    def many(self, description: Description) -> Right:
        """Answers to further items, enough to call it the truth."""
        return self._answered(description, MANY, 1)

    def wrong_keys(self, description: Description) -> float:
        """None is."""
        return 0.0


def compared(tries: int, sizes: tuple[int, int]) -> dict[str, Any]:
    """What both searches see and choose, on every world."""
    (form,) = FIELD.forms
    rows = []
    for world in range(WORLDS):
        panel = Simulated(world, sum(sizes) + REPORTING)
        deal = Deal(panel, world, np.arange(SYSTEMS), earlier(FIELD), *sizes)
        row = {}
        for name, search in SEARCHES.items():
            found = search(deal, FIELD, form, tries)
            worth = {d.id: deal.utility(panel.many(d)) for _, d in found}
            row[name] = [max(worth.values()), worth[chosen(deal, found).id]]
        rows.append([row[name] for name in SEARCHES])
    worth = np.array(rows)  # (worlds, searches, best tried and chosen)
    means = {name: dict(zip(("best_tried", "chosen"), worth[:, i].mean(axis=0).tolist(), strict=True))
             for i, name in enumerate(SEARCHES)}  # fmt: skip
    gains = {
        what: {"mean": float(difference.mean()), "interval": list(t_interval(difference))}
        for what, difference in zip(("best_tried", "chosen"), (worth[:, 0] - worth[:, 1]).T, strict=True)
    }
    return {**means, "adaptive_less_random": gains}


if __name__ == "__main__":
    keep("construct_pilots", {
        "worlds": WORLDS, "systems": SYSTEMS, "descriptions": len(FIELD.descriptions(FIELD.forms[0])),
        "tries": {str(n): {name: compared(n, sizes) for name, sizes in SIZES.items()} for n in TRIES},
    })  # fmt: skip
