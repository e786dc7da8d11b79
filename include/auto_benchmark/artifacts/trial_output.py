"""What a trial wrote, read as hostile input: bounded, no links followed, nothing executed or unpickled."""

from __future__ import annotations

import json
import math
import os
import stat
from pathlib import Path
from typing import Any

from auto_benchmark.contract.trial import FailureClass
from auto_benchmark.errors import AutoBenchmarkError

LARGEST_PREDICTIONS_BYTES = 256 * 2**20
LARGEST_METRICS_BYTES = 2**20
MOST_METRICS = 1_000
LONGEST_ANSWER = 100_000


class OutputError(AutoBenchmarkError):
    """The trial ended well but what it left is missing or malformed."""

    def __init__(self, failure: FailureClass, message: str) -> None:
        self.failure = failure
        super().__init__(message)


def _bad(message: str) -> OutputError:
    return OutputError(FailureClass.BAD_OUTPUT, message)


def read_bounded(path: Path, limit: int) -> bytes:
    """Read a regular file of at most ``limit`` bytes.

    Raises:
        OutputError: ``no_result`` when absent; ``bad_output`` for links, devices and files over the limit.
    """
    try:
        descriptor = os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK)
    except FileNotFoundError:
        raise OutputError(FailureClass.NO_RESULT, f"{path.name} was not written") from None
    except OSError as error:
        raise _bad(f"{path.name} cannot be opened: {error.strerror}") from None
    status = os.fstat(descriptor)
    if not stat.S_ISREG(status.st_mode) or status.st_nlink > 1:
        os.close(descriptor)
        raise _bad(f"{path.name} is not a file of its own")
    with os.fdopen(descriptor, "rb") as file:
        if status.st_size > limit:
            raise _bad(f"{path.name} has {status.st_size} bytes; the limit is {limit}")
        return file.read(limit + 1)


def read_predictions(output_dir: Path, expected: set[str]) -> dict[str, Any]:
    """Read ``predictions.jsonl``.

    Args:
        output_dir: of the trial.
        expected: ids of the split; others are refused. Missing ones stay absent: the scorer counts them as wrong.

    Returns:
        Item id -> answer.

    Raises:
        OutputError: when the file is missing, malformed, or holds an unknown or repeated id.
    """
    content = read_bounded(output_dir / "predictions.jsonl", LARGEST_PREDICTIONS_BYTES)
    answers: dict[str, Any] = {}
    for number, line in enumerate(content.split(b"\n"), start=1):
        if not line.strip():
            continue
        try:
            row = json.loads(line, parse_constant=_refuse_constant)
            item, answer = row["id"], row["answer"]
        except (ValueError, KeyError, TypeError, RecursionError):
            raise _bad(f'predictions.jsonl:{number}: not {{"id": …, "answer": …}}') from None
        if not isinstance(item, str) or item not in expected:
            raise _bad(f"predictions.jsonl:{number}: no item of the split is called {str(item)[:80]!r}")
        if item in answers:
            raise _bad(f"predictions.jsonl:{number}: item {item!r} is answered twice")
        if isinstance(answer, str) and len(answer) > LONGEST_ANSWER:
            raise _bad(f"predictions.jsonl:{number}: answer of {len(answer)} characters")
        answers[item] = answer
    if not answers:
        raise OutputError(FailureClass.NO_RESULT, "predictions.jsonl is empty")
    return answers


def read_metrics(output_dir: Path) -> dict[str, float]:
    """Read the trial's own ``metrics.json``: flat and finite.

    Raises:
        OutputError: when it is missing or malformed.
    """
    content = read_bounded(output_dir / "metrics.json", LARGEST_METRICS_BYTES)
    try:
        metrics = json.loads(content, parse_constant=_refuse_constant)["metrics"]
        items = list(metrics.items())
    except (ValueError, KeyError, TypeError, AttributeError, RecursionError) as error:
        raise _bad(f'metrics.json: not {{"metrics": {{name: number}}}} ({str(error)[:80]})') from None
    if len(items) > MOST_METRICS:
        raise _bad(f"metrics.json: {len(items)} metrics; the limit is {MOST_METRICS}")
    for name, value in items:
        if isinstance(value, bool) or not isinstance(value, int | float) or not math.isfinite(value):
            raise _bad(f"metrics.json: {str(name)[:80]!r} should be a finite number, is {str(value)[:80]!r}")
    return {str(name): float(value) for name, value in items}


def _refuse_constant(text: str) -> float:
    raise ValueError(f"{text} is not JSON")
