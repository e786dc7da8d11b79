"""Evidence for the gate and its criteria: a control of ten seeds around 0.82, and a candidate that is clearly better."""

from __future__ import annotations

from typing import Any

from auto_benchmark.promotion.comparison import Comparison, compare
from auto_benchmark.promotion.gate import ALPHA
from auto_benchmark.promotion.measurement import measure
from auto_benchmark.promotion.schema import Criterion, Decision, Evidence, Noise, Observation

CONTROL = [0.8213, 0.8189, 0.8224, 0.8167, 0.8198, 0.8242, 0.8179, 0.8205, 0.8231, 0.8156]
GOOD = [0.8352, 0.8391, 0.8368]
NOISE = Noise(sd=0.004, df=30)


def trials(scores: list[float], first: int = 0, **others: list[float]) -> list[Observation]:
    """One trial per score, with seeds from ``first`` on; ``others`` are further metrics, one value per trial."""
    return [
        Observation(seed=first + i, metrics={"accuracy": s, **{k: v[i] for k, v in others.items()}})
        for i, s in enumerate(scores)
    ]


def evidence(scores: list[float], **changes: Any) -> Evidence:
    """A candidate with ``scores`` against CONTROL."""
    fields = {
        "metric": "accuracy",
        "higher_is_better": True,
        "promotion_threshold": 0.005,
        "noise": NOISE,
        "candidate": trials(scores, 100),
        "control": trials(CONTROL),
    }
    return Evidence(**{**fields, **changes})


def compared(given: Evidence, alpha: float = ALPHA) -> Comparison:
    """The sequential test of this evidence."""
    return compare(measure(given), given, "sequential", alpha)


def row(decision: Decision, name: str) -> Criterion:
    """The decision's row about one criterion."""
    (found,) = [c for c in decision.criteria if c.name == name]
    return found
