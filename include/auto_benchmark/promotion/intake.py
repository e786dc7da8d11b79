"""Trials as users hand them in: scores that are not finite drop their trial and are counted."""

from __future__ import annotations

import math
from typing import Any

_NOT_NUMBERS = {"nan", "inf", "+inf", "-inf", "infinity", "-infinity", "+infinity", ".nan", ".inf", "-.inf"}


def without_non_finite(document: Any) -> tuple[Any, list[str]]:
    """Leave out what is not a finite number, before the shape is checked.

    A trial whose primary metric is null, NaN or infinite is dropped; another metric or item like that is only
    removed. Anything else that is wrong (text, a missing key) is left for the shape check to report.

    Returns:
        The cleaned document with its count in ``dropped``, and one sentence per thing left out.
    """
    if not isinstance(document, dict) or not isinstance(document.get("metric"), str):
        return document, []
    metric, notes, cleaned, dropped = document["metric"], [], dict(document), 0
    for side in ("candidate", "control"):
        trials = document.get(side)
        if not isinstance(trials, list):
            continue
        kept = []
        for i, trial in enumerate(trials):
            metrics = trial.get("metrics") if isinstance(trial, dict) else None
            if isinstance(metrics, dict) and metric in metrics and _not_finite(metrics[metric]):
                dropped += 1
                notes.append(f"{side}[{i}]: {metric} is {metrics[metric]!r}, the trial is left out")
                continue
            kept.append(_finite_parts(trial, f"{side}[{i}]", notes))
        cleaned[side] = kept
    if dropped:
        cleaned["dropped"] = dropped
    return cleaned, notes


def _finite_parts(trial: Any, place: str, notes: list[str]) -> Any:
    if not isinstance(trial, dict):
        return trial
    cleaned = dict(trial)
    for part in ("metrics", "items"):
        values = trial.get(part)
        if isinstance(values, dict) and (bad := [k for k, v in values.items() if _not_finite(v)]):
            cleaned[part] = {k: v for k, v in values.items() if k not in bad}
            notes.append(f"{place}.{part}: left out as not finite: {', '.join(map(str, bad[:5]))}")
    return cleaned


def _not_finite(value: Any) -> bool:
    if value is None:
        return True
    if isinstance(value, str):
        return value.strip().lower() in _NOT_NUMBERS
    return isinstance(value, float) and not math.isfinite(value)
