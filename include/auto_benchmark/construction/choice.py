"""The choice of descriptions, on fresh items that the search has not seen: per subtask one, or two mixed to a target."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from auto_benchmark.construction.rounds import Search
from auto_benchmark.construction.source import Description
from auto_benchmark.stats.applicability import Array
from auto_benchmark.stats.objectives import Right, pareto_front

SHORTLIST = 3
"""Descriptions of a subtask that fresh items decide between."""
CHOICE_ITEMS = 2
"""Fresh items per description at the choice, as a multiple of the pilot items."""
SHARES = 1001
"""Mixtures that are tried."""


def choose(search: Search, trajectory: Sequence[Mapping[str, Any]], quotas: Mapping[str, int]) -> dict[str, Any]:
    """Measure the shortlist of every subtask again and choose from it.

    For a difficulty target the easier and the harder description of each subtask are mixed in one proportion for all
    subtasks, found on the panel's pooled accuracies.

    Returns:
        ``chosen``: subtask -> descriptions with shares; ``considered``: what was measured; ``calls``.
    """
    considered, rights = [], {}
    for key in quotas:
        tried = [row for row in trajectory if row["subtask"] == key]
        shortlist = _shortlist(tried, search.request.objective.target)
        # rounds may end before each subtask had its turn
        for description in [Description.of(key, row["params"]) for row in shortlist] or [search.first_of(key)]:
            items, sheet = search.answered(description, "choice", CHOICE_ITEMS * search.request.pilot_items)
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


def _shortlist(rows: Sequence[Mapping[str, Any]], target: float | None) -> list[Mapping[str, Any]]:
    """The best by utility; for a target also one from below and one from above it, nearest first."""
    measured = {row["description"]: row for row in rows if row["difficulty"] is not None}
    ranked = sorted(measured.values(), key=lambda row: (-row["utility"], row["description"]))
    if target is None or len(ranked) <= SHORTLIST:
        return ranked[:SHORTLIST]
    easier = [row for row in ranked if row["difficulty"] <= target][:1]
    harder = [row for row in ranked if row["difficulty"] > target][:1]
    sides = [*easier, *harder]
    return [*sides, *[row for row in ranked if row not in sides][: SHORTLIST - len(sides)]]


def _best(considered: Sequence[Mapping[str, Any]], key: str) -> list[Mapping[str, Any]]:
    rows = [row for row in considered if row["subtask"] == key]
    return sorted(rows, key=lambda row: (-row["utility"], row["description"]))


def _mixed(
    considered: Sequence[Mapping[str, Any]], rights: Mapping[str, Right], quotas: Mapping[str, int], target: float
) -> dict[str, Any]:
    measured = [row for row in considered if row["difficulty"] is not None]
    easy, hard = {}, {}
    for key in quotas:
        rows = [row for row in measured if row["subtask"] == key]
        rows.sort(key=lambda row: (row["difficulty"], row["description"]))
        if rows:
            easy[key] = next((row for row in reversed(rows) if row["difficulty"] <= target), rows[0])
            hard[key] = next((row for row in rows if row["difficulty"] > target), rows[-1])
    share = 0.0
    if easy:
        weights = np.array([quotas[key] for key in easy], float)
        ends = [np.stack([halves(rights[side[key]["description"]]) for key in easy], axis=1) for side in (easy, hard)]
        share = mixing_share(ends[0], ends[1], weights / weights.sum(), target)
    # a source too small to be measured gives what it has
    unmeasured = {
        key: [{"params": _best(considered, key)[0]["params"], "share": 1.0}] for key in set(quotas) - set(easy)
    }
    return {key: _parts(easy[key], hard[key], share) if key in easy else unmeasured[key] for key in quotas}


def _parts(easy: Mapping[str, Any], hard: Mapping[str, Any], share: float) -> list[dict[str, Any]]:
    if easy is hard:
        return [{"params": easy["params"], "share": 1.0}]
    return [
        {"params": easy["params"], "share": round(1 - share, 4)},
        {"params": hard["params"], "share": round(share, 4)},
    ]


def halves(right: Right) -> Array:
    """(2, candidates) accuracies on every second item and on the others."""
    return np.stack([right[:, ::2].mean(axis=1), right[:, 1::2].mean(axis=1)])


def mixing_share(easy: Array, hard: Array, weights: Array, target: float) -> float:
    """Share of hard items at which the best candidate's error over all subtasks is nearest to the target.

    The best one is chosen on one half of the items and measured on the other, both ways: the greatest of several accuracies
    on the same items would be too great, and a benchmark tuned by it too hard for the next candidate.

    Args:
        easy: (2, subtasks, candidates) accuracies of the easier description of each subtask, by half.
        hard: the same of the harder one.
        weights: of the subtasks, with sum 1.
        target: error of the best candidate.

    Returns:
        In [0, 1]; an end where the target lies outside.
    """
    shares = np.linspace(0, 1, SHARES)
    ends = [np.einsum("s,hsc->hc", weights, side) for side in (easy, hard)]
    one, other = ((1 - shares[:, None]) * ends[0][half] + shares[:, None] * ends[1][half] for half in (0, 1))
    at = np.arange(SHARES)
    errors = 1 - (other[at, one.argmax(axis=1)] + one[at, other.argmax(axis=1)]) / 2
    return float(shares[np.abs(errors - target).argmin()])


def front(trajectory: Sequence[Mapping[str, Any]]) -> list[Mapping[str, Any]]:
    """Descriptions that no other one beats in every objective (Pareto)."""
    rows = [row for row in trajectory if row["difficulty"] is not None]
    if not rows:
        return []
    points = np.array([[row["difficulty"], row["separability"], row["novelty"] or 0.0] for row in rows])
    return [rows[i] for i in pareto_front(points)]
