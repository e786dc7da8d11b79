"""Ways to look for descriptions, on panels of real systems at equal calls: ``perf/construct_comparison.py [PANEL …]``.

Every description of a grid has a pool of items that all systems of a panel have answered once; the answers are kept in
perf/data, so that a killed run goes on and a repeated one asks nobody again. Each seed deals the pool anew into pilot
items, items for the choice and items that report. All ways see as many pilot items and choose in the same way.
"""

import json
import sys
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from statistics import fmean
from typing import Any

import numpy as np
from measured import RESULTS, keep
from panel_answers import (
    CHOICE,
    FIELDS,
    NOVELTY,
    PILOT,
    POOL,
    SEPARABILITY,
    Answers,
    Deal,
    Field,
    best_error,
    rank_correlation,
    spread_beyond_chance,
)

from auto_benchmark.construction.panel import REAL_SYSTEMS
from auto_benchmark.construction.search import RANDOM_PER_ROUND, propose
from auto_benchmark.construction.source import Between, Description, OneOf
from auto_benchmark.stats.intervals import t_interval

SEEDS = 20
BUDGETS = (8, 20)
"""Descriptions of a subtask that a way may try."""
PER_ROUND, SHORTLIST = 5, 3
"""Of each round one description is random; as many are chosen from."""
WAYS = ("adaptive", "stratified uniform", "plain Thompson")
STATIC = "uniform items"
"""A benchmark that draws from the whole grid and chooses nothing: what the descriptions give without any search."""


def adaptive(deal: Deal, field: Field, form: str, budget: int) -> list[tuple[float, Description]]:
    """The construction's own search, on the grid's indices."""
    source = deal.answers.source
    values = field.grid
    on_grid = {
        name: Between(0, len(options) - 1) if isinstance(options[0], int) else OneOf(tuple(map(str, options)))
        for name, options in values.items()
    }
    asked = replace(source.form(form), parameters=on_grid)
    tried: list[dict[str, Any]] = []
    found = []
    for place in range(budget):
        round_number, slot = place // PER_ROUND + 1, place % PER_ROUND
        at = propose(source, asked, tried, round_number=round_number, slot=slot, seed=deal.seed,
                     at_random=slot >= PER_ROUND - RANDOM_PER_ROUND).params  # fmt: skip
        params = {name: values[name][int(i)] if isinstance(on_grid[name], Between) else i for name, i in at.items()}
        description = Description(field.source, form, {name: params[name] for name in values})
        score = deal.utility(deal.pilot(description))
        tried.append({"params": dict(at), "utility": score})
        found.append((score, description))
    return found


def stratified_uniform(deal: Deal, field: Field, form: str, budget: int) -> list[tuple[float, Description]]:
    """One description from each of as many equal parts of the grid."""
    rng = np.random.default_rng(1000 + deal.seed)
    parts = np.array_split(np.arange(len(field.descriptions(form))), budget)
    every = field.descriptions(form)
    chosen = [every[int(rng.choice(part))] for part in parts if len(part)]
    while len(chosen) < budget:
        chosen.append(every[int(rng.integers(len(every)))])
    return [(deal.utility(deal.pilot(d)), d) for d in chosen]


def plain_thompson(deal: Deal, field: Field, form: str, budget: int) -> list[tuple[float, Description]]:
    """A Beta posterior of the best system's error for every description of the grid, independent of each other."""
    rng = np.random.default_rng(2000 + deal.seed)
    every = field.descriptions(form)
    wrong, right = np.ones(len(every)), np.ones(len(every))
    pulls = [0] * len(every)
    scores: dict[int, list[float]] = {}
    for _ in range(budget):
        arm = int(rng.beta(wrong, right).argmax())
        seen = deal.pilot(every[arm], pulls[arm])
        pulls[arm] += 1
        error = 1 - float(seen[deal.rows].mean(axis=1).max())
        wrong[arm], right[arm] = wrong[arm] + error * PILOT, right[arm] + (1 - error) * PILOT
        scores.setdefault(arm, []).append(deal.utility(seen))
    return [(fmean(values), every[arm]) for arm, values in scores.items()]


SEARCHES = dict(zip(WAYS, (adaptive, stratified_uniform, plain_thompson), strict=True))


def chosen(deal: Deal, found: Sequence[tuple[float, Description]]) -> Description:
    """The best of the shortlist on fresh items, as the construction chooses."""
    best = {d.id: (score, d) for score, d in sorted(found, key=lambda f: f[0])}
    shortlist = sorted(best.values(), key=lambda f: (-f[0], f[1].id))[:SHORTLIST]
    return max((d for _, d in shortlist), key=lambda d: (deal.utility(deal.choice(d)), d.id))


def built(deal: Deal, descriptions: Sequence[Description], systems: Any) -> dict[str, float]:
    """What a benchmark of these descriptions' reporting items says about some systems."""
    right = np.concatenate([deal.report(d) for d in descriptions], axis=1)[systems]
    order = np.random.default_rng(deal.seed).permutation(right.shape[1])
    one, other = right[:, order[::2]], right[:, order[1::2]]
    found = {
        "best_error": fmean((best_error(one, other), best_error(other, one))),
        "rank_correlation": rank_correlation(right.mean(axis=1), deal.boards[systems]),
        "separability": spread_beyond_chance(right),
        "wrong_keys": fmean(deal.answers.wrong_keys(d) for d in descriptions),
    }
    new = NOVELTY * (1 - found["rank_correlation"])
    return {**found, "objective": found["best_error"] + SEPARABILITY * found["separability"] + new}


def earlier(answers: Answers, field: Field) -> tuple[Any, float]:
    """Accuracies on earlier boards, the easiest and the middle description of each form, and how two halves agree."""
    found = []
    for form in field.forms:
        every = field.descriptions(form)
        found += [answers.of(every[0]), answers.of(every[len(every) // 2])]
    right = np.concatenate(found, axis=1)
    rng = np.random.default_rng(0)
    halves = []
    for _ in range(200):
        order = rng.permutation(right.shape[1])
        halves.append(rank_correlation(right[:, order[::2]].mean(axis=1), right[:, order[1::2]].mean(axis=1)))
    return right.mean(axis=1), fmean(halves)


def constructions(answers: Answers, field: Field, budget: int) -> Iterator[dict[str, Any]]:
    """Every seed: each way, the benchmark that chooses nothing, and the search with one half of the panel alone."""
    boards, _ = earlier(answers, field)
    everyone = np.arange(len(answers.names))
    inside = np.array([i for i, name in enumerate(answers.names) if name.startswith(field.family)])
    outside = np.setdiff1d(everyone, inside)
    for seed in range(SEEDS):
        deal = Deal(answers, seed, everyone, boards)
        row: dict[str, Any] = {"seed": seed}
        for way, search in SEARCHES.items():
            row[way] = built(
                deal, [chosen(deal, search(deal, field, form, budget)) for form in field.forms], everyone
            )
        spread = [d for form in field.forms for _, d in stratified_uniform(deal, field, form, budget)]
        row[STATIC] = built(deal, spread, everyone)
        half = replace_rows(deal, inside)
        picked = [chosen(half, adaptive(half, field, form, budget)) for form in field.forms]
        row["transfer"] = {
            "on_builders": built(half, picked, inside)["best_error"],
            "on_others": built(half, picked, outside)["best_error"],
            "others_on_uniform_items": built(half, spread, outside)["best_error"],
        }
        yield row


def replace_rows(deal: Deal, rows: Any) -> Deal:
    """The same deal, seen by some systems alone."""
    return Deal(deal.answers, deal.seed, rows, deal.boards)


def summary(answers: Answers, field: Field) -> dict[str, Any]:
    """What was compared, and what came out at each budget."""
    return {
        "systems": answers.names, "seeds": SEEDS, "subtasks": [f"{field.source}.{form}" for form in field.forms],
        "grid": {name: list(values) for name, values in field.grid.items()},
        "parallel_halves_of_earlier_boards": earlier(answers, field)[1],
        "budgets": {str(budget): _at(answers, field, budget) for budget in BUDGETS},
    }  # fmt: skip


def _at(answers: Answers, field: Field, budget: int) -> dict[str, Any]:
    """Means over seeds, and paired differences with intervals."""
    rows = list(constructions(answers, field, budget))
    ways = [*WAYS, STATIC]
    means = {way: {name: fmean(row[way][name] for row in rows) for name in rows[0][way]} for way in ways}
    against = {}
    for way in ways[1:]:
        against[way] = {
            **{f"{name}_ratio": means["adaptive"][name] / max(means[way][name], 1e-9)
               for name in ("best_error", "rank_correlation")},
            **{f"{name}_difference": _paired([row["adaptive"][name] - row[way][name] for row in rows])
               for name in ("objective", "best_error", "rank_correlation", "separability", "wrong_keys")},
        }  # fmt: skip
    transfer = {name: fmean(row["transfer"][name] for row in rows) for name in rows[0]["transfer"]}
    gained = [row["transfer"]["on_others"] - row["transfer"]["others_on_uniform_items"] for row in rows]
    items = budget * PILOT + SHORTLIST * CHOICE + POOL - PILOT - CHOICE
    return {
        "calls_each": len(answers.names) * len(field.forms) * items, "means": means, "adaptive_against": against,
        "family_transfer": {**transfer, "gain_on_others": _paired(gained)},
    }  # fmt: skip


def _paired(differences: Sequence[float]) -> dict[str, Any]:
    same = max(differences) - min(differences) < 1e-12
    return {
        "mean": fmean(differences),
        "interval": [differences[0]] * 2 if same else list(t_interval(differences)),
    }


def faults(panel: Mapping[str, Any]) -> list[str]:
    """What must not be: a search that makes easier benchmarks than one without choice, or more wrong keys."""
    if "skipped" in panel:
        return []
    found = []
    for budget, told in panel["budgets"].items():
        against = told["adaptive_against"][STATIC]
        if against["best_error_difference"]["interval"][1] < 0:
            found.append(f"{budget} descriptions: easier than items drawn uniformly")
        if against["wrong_keys_difference"]["interval"][0] > 0:
            found.append(f"{budget} descriptions: more wrong keys than items drawn uniformly")
    return found


def measure(wanted: Sequence[str]) -> dict[str, Any]:
    """Compare on each panel that is installed or whose answers are kept; results of the others stay."""
    for name in wanted:
        answers = Answers(name, FIELDS[name])
        enough = len(answers.names) >= REAL_SYSTEMS
        told = summary(answers, FIELDS[name]) if enough else {"skipped": f"make panel PANEL={name}"}
        if enough or name not in _kept():
            keep("construct_comparison", {"panels": {**_kept(), name: told}})
    return _kept()


def _kept() -> dict[str, Any]:
    path = RESULTS / "construct_comparison.json"
    return dict(json.loads(path.read_text("utf-8"))["panels"]) if path.exists() else {}


if __name__ == "__main__":
    print(measure(sys.argv[1:] or list(FIELDS)))
