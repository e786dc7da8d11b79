"""Names and values as MLflow takes them: whatever a trial calls its metrics, each keeps a name that resembles its own."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, TypeVar

from auto_benchmark.contract.limits import storable
from auto_benchmark.tracking.trial_run import TrialRun

LONGEST_KEY, LONGEST_PARAM, LONGEST_TAG = 250, 500, 4_000
METRICS_A_CALL, SETTINGS_A_CALL = 900, 90
"""MLflow takes 1,000 metrics and 100 parameters or tags at once."""
LARGEST_STEP = 2**63 - 1
SIGNS = "_-. "
T = TypeVar("T")


def key(name: str, prefix: str = "", *, numbered: bool = True) -> str:
    """The name under which MLflow keeps ``name``: a plain path of letters, digits and ``_-. ``.

    Args:
        name: anything.
        prefix: stands before it.
        numbered: mark a name that had to be changed with a digest of what it was, so that no two names become one.
    """
    parts = [_part(part) for part in name.split("/") if part]
    plain = "/".join(parts)[: LONGEST_KEY - len(prefix)] or "_"
    if plain == name or not numbered:
        return prefix + plain
    digest = hashlib.sha256(name.encode("utf-8", "surrogatepass")).hexdigest()[:6]
    return f"{prefix}{plain[: LONGEST_KEY - len(prefix) - 7].rstrip('/')}-{digest}"


def _part(part: str) -> str:
    plain = "".join(c if c.isalnum() or c in SIGNS else "_" for c in part)
    return "_" * len(plain) if plain in {".", ".."} else plain


def shortened(text: str, longest: int) -> str:
    """The text, or its beginning and a digest of the whole where it is too long for the tracker."""
    if len(text) <= longest:
        return text
    digest = hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()[:12]
    return f"{text[: longest - 24]}… sha256:{digest}"


def quoted(text: str) -> str:
    """A text in a search condition of MLflow, which knows two kinds of quotes and no escape."""
    return f'"{text}"' if "'" in text else f"'{text}'"


def params(trial: TrialRun) -> list[Any]:
    """Parameters, seed, stage and purpose."""
    from mlflow.entities import Param

    told = {**trial.params, "seed": trial.seed, "stage": trial.stage, "purpose": trial.purpose}
    return [Param(key(k, numbered=False), shortened(storable(str(v)), LONGEST_PARAM)) for k, v in told.items()]


def tags(told: Mapping[str, str]) -> list[Any]:
    """Tags that are not empty."""
    from mlflow.entities import RunTag

    return [RunTag(key(k, numbered=False), shortened(storable(v), LONGEST_TAG)) for k, v in told.items() if v]


def metrics(trial: TrialRun) -> list[Any]:
    """Results, cost and curve. Each has a time and step of its own, so that telling it twice changes nothing."""
    from mlflow.entities import Metric

    ended = [Metric(key(k), v, trial.finished_ms, 0) for k, v in trial.metrics.items()]
    return [*ended, Metric("cost", trial.cost, trial.finished_ms, 0), *curve(trial)]


def curve(trial: TrialRun) -> list[Any]:
    """The curve as metrics; the trial's start is their time, so that a point told twice is the same point."""
    from mlflow.entities import Metric

    return [
        Metric(key(name, "curve/"), value, trial.started_ms, point.step)
        for point in trial.curve
        if abs(point.step) <= LARGEST_STEP
        for name, value in point.metrics.items()
    ]


def batches(values: Sequence[T], size: int) -> Iterator[Sequence[T]]:
    """``values`` in parts of at most ``size``."""
    for start in range(0, len(values), size):
        yield values[start : start + size]
