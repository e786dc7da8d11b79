"""From a score to a reward: piecewise linear in a declared transform, through the task's anchors.

0 at the baseline, 1/2 at the reference, 1 at the stretch, and on along the last line beyond it; never below 0.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from itertools import pairwise
from typing import Any

FARTHEST = 1e3
"""Where a transform ends: what no logarithm of a float reaches."""


def _log(value: float) -> float:
    return math.log(value) if value > 0 else -FARTHEST


def _logit(share: float) -> float:
    return FARTHEST if share >= 1 else _log(share / (1 - share))


TRANSFORMS: dict[str, Callable[[float], float]] = {"log": _log, "logit": _logit, "linear": float}


def reward(score: float, anchors: Mapping[str, Any]) -> float:
    """The reward of a valid score; one that its transform does not know (a cost of 0, a share of 0 or 1) lies at its end.

    Args:
        score: in the task's unit.
        anchors: ``[metadata.optimization]``: ``transform``, ``baseline``, ``stretch`` and perhaps ``reference``.
    """
    knots: list[tuple[float, float | None]] = [
        (0.0, anchors["baseline"]),
        (0.5, anchors.get("reference")),
        (1.0, anchors["stretch"]),
    ]
    change = TRANSFORMS[anchors["transform"]]
    at = change(score)
    points = [(gives, change(anchor)) for gives, anchor in knots if anchor is not None]
    for (low, start), (high, end) in pairwise(points):
        share = (at - start) / (end - start)
        if share <= 1 or high == 1.0:
            return max(0.0, low + (high - low) * share)
    raise AssertionError("the last line goes on for ever")


def autolab(score: float, anchors: Mapping[str, Any]) -> float:
    """AutoLab's reward, for comparison: ``clip(0.5 ln(baseline/score) / ln(baseline/reference), 0, 1)``, arXiv 2606.05080.

    Nothing but 0 where it is not defined: without a reference, or for scores that are not positive.
    """
    baseline, reference = anchors["baseline"], anchors.get("reference")
    if reference is None or min(score, baseline, reference) <= 0:
        return 0.0
    return min(1.0, max(0.0, 0.5 * math.log(baseline / score) / math.log(baseline / reference)))


def ratio(score: float, anchors: Mapping[str, Any]) -> float:
    """How many times better than the baseline; 0 where a quotient says nothing."""
    baseline = anchors["baseline"]
    if min(score, baseline) <= 0:
        return 0.0
    return float(baseline / score if anchors["direction"] == "minimize" else score / baseline)
