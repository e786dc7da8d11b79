"""Ways to make a benchmark, on panels of real systems at equal calls: ``perf/construct_comparison.py [PANEL …]``.

Every description of a grid has a pool of items that all systems of a panel have answered once; the answers are kept in
perf/data, so that a killed run goes on and a repeated one asks nobody again. Each seed deals the pool anew into pilot
items, items for the choice and items that report. Three ways search: they see as many pilot items and choose in the same
way. One searches nothing: its items are drawn evenly over all strata of the grid, and all that it draws may report. Its
calls only narrow what it says, so that as many items report for it as for the others.
"""

import json
import math
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
    REPORT,
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
from auto_benchmark.stats.applicability import NotApplicableError
from auto_benchmark.stats.intervals import t_interval
from auto_benchmark.stats.objectives import Right, reliability

SEEDS = 20
BUDGETS = (8, 20)
"""Descriptions of a subtask that a way may try."""
PER_ROUND, SHORTLIST = 5, 3
"""Of each round one description is random; as many are chosen from."""
WAYS = ("adaptive", "random search", "plain Thompson")
UNIFORM = "stratified uniform"
"""A benchmark that draws from all strata of the grid and keeps nothing: what the descriptions give without any search."""
DRAWS = 50
"""Benchmarks of that kind per seed, and parallel forms of the earlier boards."""


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
        score = deal.utility(deal.pilot(description)) if field.counts(description) else 0.0
        tried.append({"params": dict(at), "utility": score})
        if field.counts(description):
            found.append((score, description))
    return found


def random_search(deal: Deal, field: Field, form: str, budget: int) -> list[tuple[float, Description]]:
    """One description from each of as many equal parts of the grid, the best of which is kept."""
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


SEARCHES = dict(zip(WAYS, (adaptive, random_search, plain_thompson), strict=True))


def chosen(deal: Deal, found: Sequence[tuple[float, Description]]) -> Description:
    """The best of the shortlist on fresh items, as the construction chooses."""
    best = {d.id: (score, d) for score, d in sorted(found, key=lambda f: f[0])}
    shortlist = sorted(best.values(), key=lambda f: (-f[0], f[1].id))[:SHORTLIST]
    return max((d for _, d in shortlist), key=lambda d: (deal.utility(deal.choice(d)), d.id))


def uniform(deal: Deal, field: Field, draw: int) -> Right:
    """As many items as a chosen description reports, one from each of as many equal parts of the grid."""
    rng = np.random.default_rng((deal.seed, draw))
    found = []
    for form in field.forms:
        every = field.descriptions(form)
        places = [int(rng.choice(part)) for part in np.array_split(np.repeat(np.arange(len(every)), REPORT), REPORT)]
        found += [deal.report(every[place])[:, [rng.integers(REPORT)]] for place in places]
    return np.concatenate(found, axis=1)


def said(deal: Deal, right: Right) -> dict[str, float]:
    """What a benchmark says about some systems by its reporting items."""
    order = np.random.default_rng(deal.seed).permutation(right.shape[1])
    seen = right[deal.rows]
    one, other = seen[:, order[::2]], seen[:, order[1::2]]
    try:
        own = reliability(one, other)
    except NotApplicableError:
        own = 0.0
    found = {
        "best_error": fmean((best_error(one, other), best_error(other, one))),
        "rank_correlation": rank_correlation(seen.mean(axis=1), deal.boards[deal.rows]),
        "separability": spread_beyond_chance(seen),
        "reliability": own,
    }
    new = NOVELTY * (1 - found["rank_correlation"])
    return {**found, "objective": found["best_error"] + SEPARABILITY * found["separability"] + new}


def _means(rows: Sequence[Mapping[str, float]]) -> dict[str, float]:
    return {name: fmean(row[name] for row in rows) for name in rows[0]}


def built(deal: Deal, descriptions: Sequence[Description]) -> dict[str, float]:
    """What the benchmark of these descriptions says, and how often its keys are wrong."""
    wrong = fmean(deal.answers.wrong_keys(d) for d in descriptions)
    return {**said(deal, np.concatenate([deal.report(d) for d in descriptions], axis=1)), "wrong_keys": wrong}


def drawn_uniformly(deal: Deal, field: Field) -> dict[str, float]:
    """The same of benchmarks that choose nothing, on average over draws."""
    wrong = fmean(deal.answers.wrong_keys(d) for form in field.forms for d in field.descriptions(form))
    return {**_means([said(deal, uniform(deal, field, draw)) for draw in range(DRAWS)]), "wrong_keys": wrong}


def earlier(field: Field) -> list[Description]:
    """Of earlier boards: the easiest and the middle description of each form."""
    every = [field.descriptions(form) for form in field.forms]
    return [d for found in every for d in (found[0], found[len(found) // 2])]


def parallel(deal: Deal, field: Field) -> dict[str, float]:
    """How the earlier boards' order agrees with that of other items of theirs, as many as a new benchmark reports."""
    items, known = np.concatenate([deal.report(d) for d in deal.earlier], axis=1), deal.known()
    rng = np.random.default_rng(deal.seed)
    found = []
    for _ in range(DRAWS):
        some = items[:, rng.permutation(items.shape[1])[: REPORT * len(field.forms)]]
        found.append(rank_correlation(some.mean(axis=1), deal.boards))
    return {"rank_correlation": fmean(found), "reliability": reliability(known[:, ::2], known[:, 1::2])}


def constructions(answers: Answers, field: Field, budget: int) -> Iterator[dict[str, Any]]:
    """Every seed: each way, the benchmark that chooses nothing, and the search with one half of the panel alone."""
    everyone = np.arange(len(answers.names))
    inside = np.array([i for i, name in enumerate(answers.names) if name.startswith(field.family)])
    outside = np.setdiff1d(everyone, inside)
    for seed in range(SEEDS):
        deal = Deal(answers, seed, everyone, earlier(field))
        row: dict[str, Any] = {"seed": seed, "parallel": parallel(deal, field), UNIFORM: drawn_uniformly(deal, field)}
        for way, search in SEARCHES.items():
            found = {form: search(deal, field, form, budget) for form in field.forms}
            picked = {form: chosen(deal, tried) for form, tried in found.items()}
            row[way] = built(deal, list(picked.values()))
            row[f"{way}: room"] = {form: room(found[form], picked[form]) for form in field.forms}
        half, others = (Deal(answers, seed, rows, deal.earlier) for rows in (inside, outside))
        seen = [chosen(half, adaptive(half, field, form, budget)) for form in field.forms]
        row["transfer"] = {
            "on_builders": built(half, seen)["best_error"],
            "on_others": built(others, seen)["best_error"],
            "others_on_uniform_items": drawn_uniformly(others, field)["best_error"],
        }
        yield row


def room(tried: Sequence[tuple[float, Description]], picked: Description) -> dict[str, Any]:
    """What a search has seen: the best pilot, and which descriptions."""
    return {"shown": max(score for score, _ in tried), "tried": [d.id for _, d in tried], "picked": picked.id}


def hopeful(answers: Answers, field: Field) -> Field:
    """The same without descriptions that no system is right on beyond guessing."""
    every = [description for form in field.forms for description in field.descriptions(form)]
    good = frozenset(d.id for d in every if float(answers.of(d).mean(axis=1).max()) > field.hopeless)
    return replace(field, only=good)


def summary(answers: Answers, field: Field) -> dict[str, Any]:
    """What was compared, and what came out at each budget."""
    if field.hopeless and field.only is None:
        less = hopeful(answers, field)
        without = {
            "at_most": field.hopeless, "descriptions": len(less.only or ()),
            "budgets": {str(budget): _at(answers, less, budget) for budget in BUDGETS},
        }  # fmt: skip
        return {**summary(answers, replace(field, hopeless=0.0)), "without_hopeless": without}
    return {
        "systems": answers.names, "seeds": SEEDS, "subtasks": [f"{field.source}.{form}" for form in field.forms],
        "grid": {name: list(values) for name, values in field.grid.items()},
        "items_that_report": REPORT * len(field.forms),
        "budgets": {str(budget): _at(answers, field, budget) for budget in BUDGETS},
    }  # fmt: skip


def _at(answers: Answers, field: Field, budget: int) -> dict[str, Any]:
    """Means over seeds, paired differences with intervals, and what was left to find."""
    rows = list(constructions(answers, field, budget))
    ways = [*WAYS, UNIFORM]
    means = {way: _means([row[way] for row in rows]) for way in ways}
    against = {
        way: {
            **{f"{name}_ratio": _ratio([row["adaptive"][name] for row in rows], [row[way][name] for row in rows])
               for name in ("best_error", *(["rank_correlation"] if way == UNIFORM else []))},  # others' may be zero
            **{f"{name}_difference": _paired([row["adaptive"][name] - row[way][name] for row in rows])
               for name in ("objective", "best_error", "rank_correlation", "separability", "wrong_keys")},
        }
        for way in ways[1:]
    }  # fmt: skip
    transfer = _means([row["transfer"] for row in rows])
    gained = [row["transfer"]["on_others"] - row["transfer"]["others_on_uniform_items"] for row in rows]
    items = budget * PILOT + SHORTLIST * CHOICE + REPORT
    boards = _means([row["parallel"] for row in rows])
    return {
        "calls_each": len(answers.names) * len(field.forms) * items, "means": means, "adaptive_against": against,
        "earlier_boards": boards,
        "rank_correlation_without_noise": {
            way: means[way]["rank_correlation"] / math.sqrt(max(means[way]["reliability"], 1e-9) * boards["reliability"])
            for way in ways
        },
        "left_to_find": {way: left(answers, field, way, rows) for way in WAYS},
        "family_transfer": {**transfer, "gain_on_others": _paired(gained)},
    }  # fmt: skip


def left(answers: Answers, field: Field, way: str, rows: Sequence[Mapping[str, Any]]) -> dict[str, float]:
    """Where a search stays behind the best description there is: not tried, or tried and not chosen.

    What a description is worth is the mean over all seeds' reporting items, so that luck of these items counts as worth.
    """
    found = []
    for form in field.forms:
        worth = _worth(answers, field, form)
        best, mean = max(worth.values()), fmean(worth.values())
        for row in rows:
            seen = row[f"{way}: room"][form]
            tried, picked = max(worth[d] for d in seen["tried"]), worth[seen["picked"]]
            found.append({
                "mean_of_all": mean, "best_of_all": best, "best_tried": tried, "chosen": picked,
                "best_pilot": seen["shown"], "better_ones_not_tried": float(sum(w > tried for w in worth.values())),
            })  # fmt: skip
    return _means(found)


def _worth(answers: Answers, field: Field, form: str) -> dict[str, float]:
    everyone = np.arange(len(answers.names))
    deals = [Deal(answers, seed, everyone, earlier(field)) for seed in range(SEEDS)]
    return {d.id: fmean(deal.utility(deal.report(d)) for deal in deals) for d in field.descriptions(form)}


def _paired(differences: Sequence[float]) -> dict[str, Any]:
    same = max(differences) - min(differences) < 1e-12
    return {
        "mean": fmean(differences),
        "interval": [differences[0]] * 2 if same else list(t_interval(differences)),
    }


def _ratio(ours: Sequence[float], theirs: Sequence[float]) -> dict[str, Any]:
    """Of means, with the percentile interval over seeds drawn anew."""
    a, b = np.array(ours), np.array(theirs)
    again = np.random.default_rng(0).integers(len(a), size=(4000, len(a)))
    ratios = a[again].mean(axis=1) / np.maximum(b[again].mean(axis=1), 1e-9)
    return {
        "value": float(a.mean() / max(b.mean(), 1e-9)),
        "interval": [float(np.quantile(ratios, q)) for q in (0.025, 0.975)],
    }


def faults(panel: Mapping[str, Any]) -> list[str]:
    """What must not be: a search that makes easier benchmarks than one without choice, or more wrong keys."""
    if "skipped" in panel:
        return []
    found = []
    for budget, told in panel["budgets"].items():
        against = told["adaptive_against"][UNIFORM]
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
