"""Named warnings: what a reader of the numbers should know before believing them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any

from auto_benchmark.construction.build import Built
from auto_benchmark.construction.folder import slice_of
from auto_benchmark.construction.measure import PanelMeasurement
from auto_benchmark.construction.source import Between, Source
from auto_benchmark.stats.objectives import Separability

GUESSABLE = 0.6
AT_THE_END = 0.6
LOW_SALIENCE = 0.2


def warnings_of(
    trajectory: Sequence[Mapping[str, Any]], chosen: Mapping[str, Sequence[Mapping[str, Any]]], built: Built,
    measured: PanelMeasurement, sources: Mapping[str, Source], target: float | None,
) -> list[str]:  # fmt: skip
    """Every warning that applies, by its name."""
    found = [*_no_gain(trajectory), *_tail(chosen, sources), *_guessable(built), *_out_of_reach(built, measured)]
    apart = measured.objectives.get("separability")
    if isinstance(apart, Separability) and not apart.is_separable:
        found.append(
            f"nothing separable: no candidate differs from the others beyond chance (p = {apart.p_value:.2f})"
        )
    hard = measured.objectives.get("difficulty")
    if target is not None and hard is not None and not hard.interval[0] <= target <= hard.interval[1]:
        low, high = hard.interval
        found.append(
            f"target missed: difficulty {hard.value:.2f} ({low:.2f} to {high:.2f}) for a target of {target:.2f}"
        )
    if "salience" in measured.objectives and measured.objectives["salience"].value < LOW_SALIENCE:
        found.append(f"low salience: {measured.objectives['salience'].value:.2f} on average")
    found += [f"short: {key} gave {n} items too few" for key, n in built.short.items()]
    found += [f"candidate failed: {name}: {why}" for name, why in measured.sheet.failed.items()]
    found += [f"not measured: {name}: {why}" for name, why in measured.not_measured.items()]
    return found


def _no_gain(trajectory: Sequence[Mapping[str, Any]]) -> list[str]:
    rounds = max((row["round"] for row in trajectory), default=0)
    if rounds < 4:
        return []
    early = max(row["utility"] for row in trajectory if row["round"] <= rounds // 2)
    late = max(row["utility"] for row in trajectory if row["round"] > rounds // 2)
    return [f"no gain over rounds: {late:.3f} in the second half, {early:.3f} in the first"] if late <= early else []


def _tail(chosen: Mapping[str, Sequence[Mapping[str, Any]]], sources: Mapping[str, Source]) -> list[str]:
    at_end = numbers = 0
    for key, rows in chosen.items():
        form = sources[key.split(".")[0]].form(key.split(".")[1])
        for row in rows:
            for name, parameter in form.parameters.items():
                if isinstance(parameter, Between) and parameter.high > parameter.low and name in row["params"]:
                    place = (row["params"][name] - parameter.low) / (parameter.high - parameter.low)
                    numbers += 1
                    at_end += place <= 0.1 or place >= 0.9
    if numbers < 3 or at_end <= AT_THE_END * numbers:
        return []
    return [f"drifts to the tail: {at_end} of {numbers} parameters lie at an end of their range"]


def _guessable(built: Built) -> list[str]:
    answers: dict[str, Counter[str]] = {}
    for item in built.items:
        answers.setdefault(slice_of(item), Counter())[str(item.answer)] += 1
    return [
        f"source leaks: {top[0]!r} is the answer to {top[1] / counts.total():.0%} of {name}"
        for name, counts in sorted(answers.items())
        if (top := counts.most_common(1)[0])[1] > GUESSABLE * counts.total() and counts.total() >= 10
    ]


def _out_of_reach(built: Built, measured: PanelMeasurement) -> list[str]:
    """Subtasks that tell nothing about these candidates: each is wrong on every item."""
    items: dict[str, list[str]] = {}
    for item in [*built.splits["search"], *built.splits["gate"]]:
        items.setdefault(slice_of(item), []).append(item.id)
    return [
        f"out of reach: no candidate answers any of the {len(ids)} items of {name}; without it the others count for more"
        for name, ids in sorted(items.items())
        if not any(right[item] for right in measured.sheet.right.values() for item in ids)
    ]
