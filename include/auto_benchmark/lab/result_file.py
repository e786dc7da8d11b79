"""``result.json`` of a run as it is read back, by the run that goes on and by reports."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from pydantic import ConfigDict, Field

from auto_benchmark import documents
from auto_benchmark.documents import Strict


class _Loose(Strict):
    model_config = ConfigDict(extra="allow", frozen=True, allow_inf_nan=False)


class _Attempt(_Loose):
    attempt: int = Field(ge=1)
    seconds: float = Field(ge=0)
    valid: bool
    score: float | None
    reward: float
    reason: str


class _Result(_Loose):
    valid: bool
    score: float | None
    reward: float
    seeds: int = Field(ge=0)
    interval: list[float | None] = Field(min_length=2, max_length=2)


class _Resilience(_Loose):
    closed_loop_gain: float | None
    recovery: float | None
    recovery_expected: float | None
    pivots: list[dict[str, Any]]
    shock_attempts: int | None


class _Document(_Loose):
    task: str
    agent: str
    attempts: list[_Attempt]
    chosen: int | None
    result: _Result
    reward: float
    resilience: _Resilience


def read(path: Path) -> dict[str, Any]:
    """The result as ``lab run --json`` printed it.

    Raises:
        ConfigError: the file is missing or damaged; the faults name line and field.
    """
    document = documents.read(path)
    documents.validate(_Document, document)
    return dict(document.data)
