"""The choice of descriptions, on fresh items that the search has not seen: per subtask one, or two mixed to a target."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import numpy as np

from auto_benchmark.construction.mixing import FOLDS, by_fold, ends_around, mixing_share
from auto_benchmark.construction.request import ConstructionRequest
from auto_benchmark.construction.rounds import Search
from auto_benchmark.construction.source import Description
from auto_benchmark.stats.applicability import Array
from auto_benchmark.stats.objectives import Right, pareto_front

SHORTLIST = 3
"""Descriptions of a subtask that fresh items decide between."""
CHOICE_ITEMS = 2
"""Fresh items per description at the choice, as a multiple of the pilot items."""
ENDS = 2
"""Descriptions of a subtask that are mixed to a target."""
TARGET_ITEMS = 6
"""Fresh items per end of a mixture, as a multiple of the pilot items, over all subtasks together."""


def choose(search: Search, trajectory: Sequence[Mapping[str, Any]], quotas: Mapping[str, int]) -> dict[str, Any]:
    """Measure the shortlist of every subtask again and choose from it.

    For a difficulty target the easier and the harder description of each subtask are mixed in one proportion for all
    subtasks, found on the panel's pooled accuracies.

    Returns:
        ``chosen``: subtask -> descriptions with shares; ``considered``: what was measured; ``calls``.
    """
    considered, rights = [], {}
    _, fresh = extent_of_choice(search.request, len(quotas))
    for key in quotas:
        tried = [row for row in trajectory if row["subtask"] == key]
        remeasured = shortlist(tried, search.request.objective.target)
        # rounds may end before each subtask had its turn
        for description in [Description.of(key, row["params"]) for row in remeasured] or [search.first_of(key)]:
            items, sheet = search.answered(description, "choice", fresh * search.request.pilot_items)
            rights[description.id] = sheet.matrix(search.panel.names, [item.id for item in items])
            found = search.measured(items, sheet)
            considered.append({"subtask": key, "params": dict(description.params), "description": description.id,
                               "items": len(items), "calls": sheet.calls, **found})  # fmt: skip
            search.progress.count(sheet.calls, fresh=True)
        search.progress.tell(f"choice: {key}")
    best = {key: _best(considered, key) for key in quotas}
    target = search.request.objective.target
    if target is None:
        chosen = {key: [{"params": rows[0]["params"], "share": 1.0}] for key, rows in best.items()}
    else:
        chosen = _mixed(considered, rights, quotas, target)
    return {"chosen": chosen, "considered": considered, "calls": sum(row["calls"] for row in considered)}


def extent_of_choice(request: ConstructionRequest, subtasks: int) -> tuple[int, int]:
    """Descriptions of each subtask at the choice, and fresh items of each as a multiple of the pilot items."""
    if request.objective.target is None:
        return SHORTLIST, CHOICE_ITEMS
    return ENDS, max(CHOICE_ITEMS, math.ceil(TARGET_ITEMS / subtasks))


def shortlist(rows: Sequence[Mapping[str, Any]], target: float | None) -> list[Mapping[str, Any]]:
    """The best by utility; for a target, the two that are mixed: on either side of it, and good in what else is asked."""
    measured = {row["description"]: row for row in rows if row["difficulty"] is not None}
    ranked = sorted(measured.values(), key=lambda row: (-row["utility"], row["description"]))
    if target is None or len(ranked) <= ENDS:
        return ranked[:SHORTLIST]
    difficulties = [row["difficulty"] for row in ranked]
    # utility is nearness to the target and what the other objectives are worth
    other = [row["utility"] + abs(row["difficulty"] - target) for row in ranked]
    return [ranked[i] for i in dict.fromkeys(ends_around(difficulties, target, other))]


def _best(considered: Sequence[Mapping[str, Any]], key: str) -> list[Mapping[str, Any]]:
    rows = [row for row in considered if row["subtask"] == key]
    return sorted(rows, key=lambda row: (-row["utility"], row["description"]))


def _mixed(
    considered: Sequence[Mapping[str, Any]], rights: Mapping[str, Right], quotas: Mapping[str, int], target: float
) -> dict[str, Any]:
    measured = [row for row in considered if row["difficulty"] is not None]
    ends: dict[str, tuple[Mapping[str, Any], Mapping[str, Any]]] = {}
    for key in quotas:
        rows = sorted((row for row in measured if row["subtask"] == key),
                      key=lambda row: (row["difficulty"], row["description"]))  # fmt: skip
        if rows:
            ends[key] = rows[0], rows[-1]
    share = 0.0
    if ends:
        weights = np.array([quotas[key] for key in ends], float)
        share = mixing_share(*_by_fold(ends.values(), rights), weights / weights.sum(), target)
    # a source too small to be measured gives what it has
    unmeasured = {
        key: [{"params": _best(considered, key)[0]["params"], "share": 1.0}] for key in set(quotas) - set(ends)
    }
    return {key: _parts(*ends[key], share) if key in ends else unmeasured[key] for key in quotas}


def _by_fold(
    ends: Iterable[tuple[Mapping[str, Any], Mapping[str, Any]]], rights: Mapping[str, Right]
) -> tuple[Array, Array]:
    """(folds, subtasks, candidates) accuracies of the easier and of the harder descriptions."""
    pairs = [(rights[easy["description"]], rights[hard["description"]]) for easy, hard in ends]
    folds = min(FOLDS, *(right.shape[1] for pair in pairs for right in pair))
    easy, hard = (np.stack([by_fold(right, folds) for right in side], axis=1) for side in zip(*pairs, strict=True))
    return easy, hard


def _parts(easy: Mapping[str, Any], hard: Mapping[str, Any], share: float) -> list[dict[str, Any]]:
    if easy is hard:
        return [{"params": easy["params"], "share": 1.0}]
    return [
        {"params": easy["params"], "share": round(1 - share, 4)},
        {"params": hard["params"], "share": round(share, 4)},
    ]


def front(trajectory: Sequence[Mapping[str, Any]]) -> list[Mapping[str, Any]]:
    """Descriptions that no other one beats in every objective (Pareto)."""
    rows = [row for row in trajectory if row["difficulty"] is not None]
    if not rows:
        return []
    points = np.array([[row["difficulty"], row["separability"], row["novelty"] or 0.0] for row in rows])
    return [rows[i] for i in pareto_front(points)]
